import type { Endpoint } from '../../../endpoint/endpoint.js';

/** The argument that says how many rows a tool returns. */
export const MAX_ROWS = 'max_rows';

/** What a result names the cursor of the next page. */
export const NEXT_CURSOR = 'next_cursor';

/** Rows that a tool returns where the call does not say. A model reads every one. */
export const DEFAULT_ROWS = 50;

/** Whether the gateway's argument limits the rows; an endpoint with a parameter of that name limits them itself. */
export function limitsRows({ parameters }: Endpoint): boolean {
  return !parameters.has(MAX_ROWS);
}
