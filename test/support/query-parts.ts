import type { QueryParts } from '../../src/gateway/query/execute-call.js';
import { withoutCoalescing } from '../../src/gateway/query/fetch-result.js';
import { SingleFlight } from '../../src/gateway/query/single-flight.js';

const ignore = (): void => undefined;

/** What gets results for a gateway alone. */
export const queryParts = (
  parts: Pick<QueryParts, 'runQuery' | 'store' | 'clock'> & Partial<QueryParts>,
): QueryParts => ({
  flights: new SingleFlight(),
  coalesceAcrossGateways: withoutCoalescing(parts.store),
  onJoined: ignore,
  onOutcome: ignore,
  ...parts,
});
