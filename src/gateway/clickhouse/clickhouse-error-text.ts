import type { ClickHouseError } from '@clickhouse/client';

import { SQL_PROBLEMS } from './sql-problems.js';

const READS_TOO_MUCH = 'The statement would read more data than one may read. Narrow it with its conditions';
const STOPPED =
  'The statement was stopped at its time limit. Narrow it with its conditions, or try again later';

/** Errors that {@link SQL_PROBLEMS} does not have, by code: the name of the error, and the sentence for the client. */
const SENTENCES: Readonly<Partial<Record<string, readonly [name: string, sentence: string]>>> = {
  8: ['THERE_IS_NO_COLUMN', 'The statement names a column that its table does not have'],
  15: ['DUPLICATE_COLUMN', 'The statement has two columns or elements of the same name'],
  60: ['UNKNOWN_TABLE', 'The statement reads an unknown table'],
  63: ['UNKNOWN_AGGREGATE_FUNCTION', 'The statement calls an unknown aggregate function'],
  73: ['UNKNOWN_FORMAT', 'The statement has an unknown format'],
  81: ['UNKNOWN_DATABASE', 'The statement names an unknown database'],
  115: ['UNKNOWN_SETTING', 'The statement has an unknown setting'],
  124: ['INCORRECT_ELEMENT_OF_SET', 'The statement has an IN whose sides have different numbers of elements'],
  130: ['CANNOT_READ_ARRAY_FROM_TEXT', 'The statement parses text that is not a valid array'],
  158: ['TOO_MANY_ROWS', READS_TOO_MUCH],
  159: ['TIMEOUT_EXCEEDED', STOPPED],
  160: ['TOO_SLOW', STOPPED],
  164: ['READONLY', 'The statement changes what cannot be changed here'],
  201: ['QUOTA_EXCEEDED', 'The limit of requests is used up. Try again later'],
  202: [
    'TOO_MANY_SIMULTANEOUS_QUERIES',
    'ClickHouse is running the maximum number of queries. Try again shortly',
  ],
  210: ['NETWORK_ERROR', 'ClickHouse is unreachable, or its response was not complete. Try again shortly'],
  241: [
    'MEMORY_LIMIT_EXCEEDED',
    'The statement needs more memory than one may use. Narrow it, or group by less',
  ],
  307: ['TOO_MANY_BYTES', READS_TOO_MUCH],
  394: ['QUERY_WAS_CANCELLED', 'The statement was cancelled'],
  395: [
    'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO',
    'An endpoint that the statement reads has a condition that rejects these arguments, or rows',
  ],
  396: [
    'TOO_MANY_ROWS_OR_BYTES',
    'The result is larger than one may be. Narrow the statement, or add a LIMIT',
  ],
  427: ['CANNOT_COMPILE_REGEXP', 'The statement has a regular expression that RE2 cannot compile'],
  456: ['UNKNOWN_QUERY_PARAMETER', 'The statement has a parameter without a value'],
  457: ['BAD_QUERY_PARAMETER', 'The statement has a parameter whose value is none of its type'],
  497: ['ACCESS_DENIED', 'The statement reads what is not offered here'],
  516: ['AUTHENTICATION_FAILED', 'The key is not valid'],
  1002: ['UNKNOWN_EXCEPTION', 'ClickHouse could not run this statement'],
};
const UNKNOWN_ERROR = '1002';

/** Names of codes that only the gateway's own failures have. */
const OF_THE_GATEWAY: Readonly<Partial<Record<string, string>>> = {
  89: 'UNKNOWN_COMPRESSION_METHOD',
  194: 'REQUIRED_PASSWORD',
  209: 'SOCKET_TIMEOUT',
  279: 'ALL_CONNECTION_TRIES_FAILED',
  439: 'CANNOT_SCHEDULE_TASK',
};

/** HTTP statuses other than 500, from `exceptionCodeToHTTPStatus` of ClickHouse. */
const STATUSES: ReadonlyMap<string, number> = new Map(
  (
    [
      [400, [6, 8, 15, 27, 36, 38, 41, 44, 53, 62, 72, 117, 167, 168, 376, 427, 675, 676]],
      [403, [497, 516]],
      [404, [46, 47, 50, 60, 63, 73, 81, 115]],
      [408, [159]],
      [501, [48]],
    ] as const
  ).flatMap(([status, codes]) => codes.map((code) => [String(code), status])),
);

/** Patterns, by code, for the place where a message quotes a name that the client may have written. */
const QUOTED = /[`']([^`']{1,80})[`']/;
const NAMES: Readonly<Partial<Record<string, RegExp>>> = {
  42: /function [`']?(\w+)/,
  43: /function [`']?(\w+)/,
  46: QUOTED,
  47: QUOTED,
  50: /^Unknown data type family: (\w+)/,
  60: QUOTED,
  62: /failed at position \d+ \(([^)]{1,80})\)/,
  63: QUOTED,
  73: /^Unknown format (\w+)/,
  179: /for alias (\w+)/,
  207: QUOTED,
  215: QUOTED,
  456: QUOTED,
};

/** Code for the client: ClickHouse's own, if the client's statement can cause the error or the client can react to it. */
export function clientCode(code: string): string {
  return SQL_PROBLEMS[code] || SENTENCES[code] ? code : UNKNOWN_ERROR;
}

/**
 * Sentence for the client about an error of ClickHouse, without its full stop. The sentence is fixed.
 *
 * @param words words of the client's own statement. The sentence names what the message quotes only if it is one of these words
 */
export function sentenceOf(
  { code, message }: Pick<ClickHouseError, 'code' | 'message'>,
  words: ReadonlySet<string> | undefined,
): string {
  const problem = SQL_PROBLEMS[code]?.[1];
  const sentence =
    problem === undefined ? (SENTENCES[clientCode(code)]?.[1] ?? '') : `The statement ${problem}`;
  const name = NAMES[code]?.exec(message)?.[1];
  // The message may qualify a column with the internal name of its table.
  const own =
    words && [name, name?.replace(/^.*\./s, '')].find((each) => each !== undefined && words.has(each));
  return own === undefined ? sentence : `${sentence}: ${own}`;
}

/** Text of an error in ClickHouse's form. @param version version of ClickHouse; empty before it has responded */
export function errorText(code: string, sentence: string, version: string): string {
  const name = (SQL_PROBLEMS[code] ?? SENTENCES[code])?.[0] ?? OF_THE_GATEWAY[code] ?? 'UNKNOWN_EXCEPTION';
  const end = sentence.endsWith('?') ? '' : '.';
  const ofVersion = version === '' ? '' : ` (version ${version})`;
  return `Code: ${code}. DB::Exception: ${sentence}${end} (${name})${ofVersion}`;
}

/** HTTP status that ClickHouse sends with an error if the response has not started. */
export const statusOf = (code: string): number => STATUSES.get(code) ?? 500;
