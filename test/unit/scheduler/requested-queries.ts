import type { QueryRequest, Asker } from '../../../src/query/ports.js';

/** A query of a lane, interactive unless told otherwise. */
export function asked(
  requestId: string,
  asker: Partial<Asker> = {},
  signal = new AbortController().signal,
): QueryRequest {
  return {
    query: { text: 'SELECT 1', parameters: {} },
    columns: new Map(),
    rowCap: 1,
    requestId,
    signal,
    asker: { lane: 'lane', priority: 'interactive', ...asker },
  };
}
