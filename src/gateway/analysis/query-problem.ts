import { ClickHouseError } from '@clickhouse/client';

import { shortMessage } from '../clickhouse/short-message.js';
import { describeKnownError, nameIn, translateClickHouseError } from '../clickhouse/translate-error.js';
import { textWithCarets } from '../../endpoint/excerpt.js';
import type { FileProblem } from '../../endpoint/file-problems.js';
import { problem } from '../../endpoint/problems.js';

const ACCESS_DENIED = '497';
const SYNTAX_ERROR = '62';
/** Errors whose message begins with a name in the SQL: UNKNOWN_FUNCTION, _IDENTIFIER, _TYPE and _TABLE. */
const ABOUT_A_NAME = new Set(['46', '47', '50', '60']);

/**
 * Shows ClickHouse's message at the place of the mistake in the author's file. @param positions positions of the mistake in the SQL
 *
 * @returns undefined where the place is unknown.
 */
export type ShowInFile = (message: string, positions: readonly number[]) => FileProblem | undefined;

/**
 * Problem of a failed query for the author of the endpoint: ClickHouse's own text, the SQL, carets where ClickHouse reports a position, and
 * a hint for the operator. The message for callers would refer to the gateway's log, but `check` has no log.
 *
 * @param showInFile replaces the SQL by an excerpt of the file.
 */
export function queryProblem(error: unknown, sql: string, showInFile?: ShowInFile): FileProblem {
  const { code, message, details } = translateClickHouseError(error);
  const { cause, diagnosis = '' } = details;
  const summary = code === 'CLICKHOUSE_FAILED' ? '' : `${message} `;
  if (!(cause instanceof ClickHouseError)) {
    const text = `${summary}${cause instanceof Error ? cause.message : diagnosis}`.trimEnd();
    return problem('QUERY_FAILED', text);
  }
  if (cause.code === ACCESS_DENIED) return accessProblem(cause);
  const text = `${summary}${shortMessage(cause.message)}`;
  const positions = positionsOf(cause, sql);
  const shown = showInFile?.(text, positions) ?? {
    ...problem('QUERY_REJECTED', text),
    excerpt: textWithCarets(sql, positions),
  };
  const above = shown.excerpt === undefined ? '' : `${shown.excerpt}\n`;
  return { ...shown, excerpt: `${above}  ${describeKnownError(cause, nameIn(cause))}` };
}

/** Problem of a missing right: its name in ClickHouse, and how to grant it. */
function accessProblem({ message }: ClickHouseError): FileProblem {
  const user = /^(\S+): Not enough privileges/.exec(message)?.[1] ?? '';
  const right =
    /\(Missing permissions: (.+)\)\.?\s*$/.exec(message)?.[1] ??
    /have (?:the )?grant (.+? ON .+?)\.?(?: \(Missing|\s*$)/.exec(message)?.[1];
  const what =
    right === undefined ? shortMessage(message) : `the ClickHouse user ${user} lacks the right ${right}`;
  return problem('RIGHT_MISSING', what, ': run `querygate grants`, and grant it as an administrator');
}

function positionsOf({ code, message }: ClickHouseError, sql: string): readonly number[] {
  if (code === SYNTAX_ERROR) {
    const byte = Number(/failed at position (\d+)/.exec(message)?.[1] ?? NaN) - 1;
    // FORMAT follows the SQL, so an error there counts as one at the end of the SQL.
    if (!(byte >= 0)) return [];
    // The ClickHouse client removes white space before a query.
    const sent = sql.trimStart();
    return [sql.length - sent.length + Buffer.from(sent).subarray(0, byte).toString().length];
  }
  if (!ABOUT_A_NAME.has(code)) return [];
  const [, quoted, type] = /[`']([^`']+)[`']|type family: (\w+)/.exec(message) ?? [];
  const name = quoted ?? type;
  if (name === undefined) return [];
  const asWord = new RegExp(String.raw`(?<![\w.])${name.replaceAll(/[^\w]/g, String.raw`\$&`)}(?!\w)`, 'g');
  return [...sql.matchAll(asWord)].map(({ index }) => index);
}
