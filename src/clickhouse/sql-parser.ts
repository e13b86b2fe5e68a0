import { ClickHouseError, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';

import { Failure } from '../errors.js';
import type { SqlParser } from '../query/sandboxed-select.js';
import { translateClickHouseError } from './translate-error.js';

/** Parsing takes milliseconds; SQL that exceeds these limits was not written by a person. */
const LIMITS: ClickHouseSettings = {
  readonly: '2',
  max_execution_time: 2,
  max_memory_usage: '200000000',
  max_query_size: '65536',
  max_parser_depth: '300',
  max_parser_backtracks: '100000',
  max_ast_depth: '150',
  max_ast_elements: '5000',
  allow_experimental_analyzer: 1,
  enable_global_with_statement: 1,
};
const TIMEOUT_MS = 5000;
/** How long the list of tables is cached. */
const TABLES_TTL_MS = 10_000;

const NOT_ONE_SELECT =
  'must be one SELECT, without FORMAT, SETTINGS or INTO OUTFILE, and without parameters in braces';

/** ClickHouse's error codes for text that is too deep or too long for its parser. */
const TOO_COMPLEX: readonly string[] = ['167', '168', '306'];
/** Error codes for text that ClickHouse cannot parse or explain: of syntax, of parameters, of EXPLAIN. */
const UNPARSABLE: readonly string[] = [
  '6',
  '26',
  '36',
  '42',
  '43',
  '47',
  '48',
  '53',
  '62',
  '69',
  '70',
  '72',
  '115',
  '131',
  '180',
  '181',
  '190',
  '407',
  '456',
  '457',
  '576',
];

/** Creates a parser that sends callers' SQL to ClickHouse, as a bound value or as the server printed it. */
export function createSqlParser(client: ClickHouseClient, clock: () => number = Date.now): SqlParser {
  const runQuery = async (
    query: string,
    parameters: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly string[]> => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const result = await client.query({
        query,
        query_params: parameters,
        format: 'JSONCompactEachRow',
        abort_signal: AbortSignal.any([signal, timeout]),
        clickhouse_settings: LIMITS,
      });
      return (await result.json<readonly [string]>()).map(([text]) => text);
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error;
      throw new Failure('QUERY_TIMEOUT', 'The analysis of sql was stopped at its time limit. Try again.', {
        cause: error,
      });
    }
  };
  let cachedTables: { readonly names: readonly string[]; readonly expiresAt: number } | undefined;
  return {
    print: async (sql, signal) => {
      try {
        const [text = ''] = await runQuery('SELECT formatQuerySingleLine({sql:String})', { sql }, signal);
        return text;
      } catch (error) {
        throw failureOf(error, signal, syntaxProblem);
      }
    },
    tree: async (text, signal) => {
      try {
        return await runQuery(`EXPLAIN QUERY TREE run_passes = 0 SELECT * FROM (${text})`, {}, signal);
      } catch (error) {
        throw failureOf(error, signal, () => NOT_ONE_SELECT);
      }
    },
    tables: async (signal) => {
      if (cachedTables && clock() < cachedTables.expiresAt) return cachedTables.names;
      try {
        const names = await runQuery(
          'SELECT name FROM system.tables WHERE database = currentDatabase()',
          {},
          signal,
        );
        cachedTables = { names, expiresAt: clock() + TABLES_TTL_MS };
        return names;
      } catch (error) {
        throw failureOf(error, signal, () => undefined);
      }
    },
  };
}

function failureOf(
  error: unknown,
  signal: AbortSignal,
  problemOf: (error: ClickHouseError) => string | undefined,
): Failure {
  if (signal.aborted) return cancelled(signal, error);
  const problem = error instanceof ClickHouseError ? parserProblem(error, problemOf) : undefined;
  if (problem === undefined) return translateClickHouseError(error);
  return new Failure('INVALID_PARAMETERS', `sql ${problem}.`, {
    problems: [{ param: 'sql', problem }],
    cause: error,
  });
}

/** Why the analysis was cancelled: a Failure such as the caller's deadline, or else a disconnected client. */
function cancelled({ reason }: AbortSignal, cause: unknown): Failure {
  return reason instanceof Failure
    ? reason
    : new Failure('CALLER_GONE', 'The client disconnected.', { cause });
}

function parserProblem(
  error: ClickHouseError,
  problemOf: (error: ClickHouseError) => string | undefined,
): string | undefined {
  if (TOO_COMPLEX.includes(error.code)) return 'is too deeply nested, or too long, to be parsed';
  return UNPARSABLE.includes(error.code) ? problemOf(error) : undefined;
}

/** Uses only the position of ClickHouse's message; it refers to the SQL as the caller sent it. */
function syntaxProblem({ message }: ClickHouseError): string {
  if (message.startsWith('Syntax error (Multi-statements')) return 'must be one statement';
  const position = /^Syntax error[^:]*: failed at position (\d{1,6})/.exec(message)?.[1];
  return position === undefined
    ? 'is not a statement that ClickHouse can parse'
    : `is not a statement that ClickHouse can parse: see byte ${position}`;
}
