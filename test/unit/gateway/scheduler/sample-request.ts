import type { QueryRequest, Requester } from '../../../../src/gateway/query/ports.js';
import { Abort, type Signal } from '../../../../src/gateway/query/signal.js';

/** A request to run a query, interactive by default. */
export function sampleRequest(
  requestId: string,
  requester: Partial<Requester> = {},
  signal: Signal = new Abort(),
): QueryRequest {
  return {
    query: { text: 'SELECT 1', parameters: {} },
    columns: new Map(),
    rowCap: 1,
    requestId,
    signal,
    requester: { lane: 'lane', priority: 'interactive', ...requester },
  };
}
