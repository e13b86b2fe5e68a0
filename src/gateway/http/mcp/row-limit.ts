import type { Endpoint } from '../../../endpoint/endpoint.js';

/** Name of the argument with the maximum number of rows that a tool returns. */
export const MAX_ROWS = 'max_rows';

/** Name of the member with the cursor of the next page, in a tool's result. */
export const NEXT_CURSOR = 'next_cursor';

/** Rows that a tool returns by default; few, because a model reads every one. */
export const DEFAULT_ROWS = 50;

/** Whether the gateway's argument limits the rows. An endpoint with a parameter of that name limits them itself. */
export function limitsRows({ parameters }: Endpoint): boolean {
  return !parameters.has(MAX_ROWS);
}
