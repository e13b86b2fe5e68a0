import type { QueryRequest, Requester } from '../../../src/query/ports.js';

/** A query of a lane, interactive unless told otherwise. */
export function asked(
  requestId: string,
  requester: Partial<Requester> = {},
  signal = new AbortController().signal,
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
