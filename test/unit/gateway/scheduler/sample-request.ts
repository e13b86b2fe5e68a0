import type { QueryRequest, Requester } from '../../../../src/gateway/query/ports.js';

/** A request to run a query, interactive by default. */
export function sampleRequest(
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
