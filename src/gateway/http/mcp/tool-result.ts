import { rowCap, type Endpoint } from '../../../endpoint/endpoint.js';
import type { CallOutcome } from '../../query/call.js';
import { knownAt } from '../../query/endpoint-result.js';
import { readerOf } from '../../query/endpoint-query.js';
import type { RanCall } from '../call/run-call.js';
import { narrowing } from '../result/complete-result.js';
import { firstRows } from './first-rows.js';
import { limitsRows, MAX_ROWS, NEXT_CURSOR } from './row-limit.js';

/** A result of a tool in MCP's form. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** How much of a result the caller gets, and what it is described with. */
export interface ToolResultOptions {
  readonly maxRows: number;
  /** Maximum bytes of all rows as JSON. */
  readonly maxBytes: number;
  /** Cursor of the page after the result; undefined on the last page. */
  readonly cursor?: string | undefined;
  /** Current time; milliseconds since 1970. */
  readonly now: number;
}

/** The first rows of a result, and whether and how the caller can get more. */
export function toolResult(ran: RanCall, options: ToolResultOptions): ToolResult {
  const { maxRows, maxBytes, cursor, now } = options;
  const { query } = ran.call;
  const { result } = ran.outcome;
  const shown = firstRows(result.bodies.identity, maxRows, maxBytes);
  const { rows } = shown;
  const cost = result.cost.readBy(readerOf(query));
  const structuredContent = {
    rowsReturned: rows.length,
    rowsFound: result.rowCount,
    truncated: result.truncated,
    notes: notesOf(ran, shown, options),
    ...(cursor !== undefined && rows.length === result.rowCount && { [NEXT_CURSOR]: cursor }),
    createdAt: new Date(result.createdAt).toISOString(),
    ageSeconds: Math.max(0, Math.floor((now - knownAt(result)) / 1000)),
    freshSeconds: freshSeconds(query.endpoint, ran.outcome, now),
    ...(cost && { cost }),
    rows,
  };
  // The text repeats the structured content, because some clients show the model only the text.
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

function freshSeconds({ settings: { caching } }: Endpoint, { result }: CallOutcome, now: number): number {
  if (caching === 'disabled' || result.partial) return 0;
  return Math.max(0, Math.min(caching, Math.floor((result.expiresAt - now) / 1000)));
}

function notesOf(
  ran: RanCall,
  { rows: { length: returned }, isCutByBytes }: ReturnType<typeof firstRows>,
  { maxBytes, cursor }: ToolResultOptions,
): readonly string[] {
  const { endpoint } = ran.call.query;
  const { result, status } = ran.outcome;
  const narrow = narrowing(ran);
  const notes: string[] = [];
  if (isCutByBytes && returned === 0) {
    notes.push(
      `The first row alone exceeds ${maxBytes} bytes, the bound of a tool’s result: read it from the HTTP API of the gateway.`,
    );
  } else if (returned < result.rowCount) {
    const first = `rows has the first ${returned} of ${result.rowCount} rows`;
    const bound = `one more would exceed ${maxBytes} bytes, the bound of a tool’s result`;
    const larger = limitsRows(endpoint)
      ? `For more, send a larger ${MAX_ROWS}, up to ${result.rowCount}. `
      : '';
    notes.push(isCutByBytes ? `${first}: ${bound}. ${narrow}.` : `${first}. ${larger}${narrow}.`);
  }
  if (cursor !== undefined) {
    const of = `${NEXT_CURSOR} is there once rows has all rows of a page: send ${MAX_ROWS} ${returned}.`;
    notes.push(`More rows follow. ${returned === result.rowCount ? `Send ${NEXT_CURSOR} as cursor.` : of}`);
  } else if (result.truncated) {
    notes.push(
      `The query has more rows than the row cap of ${endpoint.name}, ${rowCap(endpoint)}: rowsFound counts the first ones only. ${narrow}.`,
    );
  }
  if (result.partial)
    notes.push('A shard of ClickHouse is unreachable, so that rows are missing. Try again later.');
  if (status === 'STALE') notes.push('ClickHouse failed or is busy: these are the rows of an older result.');
  return notes;
}
