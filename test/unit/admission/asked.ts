import type { AskedQuery, Asker } from '../../../src/admission/asked-query.js';

/** A query of a lane, interactive unless told otherwise. */
export function asked(
  requestId: string,
  asker: Partial<Asker> = {},
  signal = new AbortController().signal,
): AskedQuery {
  return {
    query: { text: 'SELECT 1', parameters: {} },
    columns: new Map(),
    rowCap: 1,
    requestId,
    signal,
    asker: { lane: 'lane', priority: 'interactive', ...asker },
  };
}
