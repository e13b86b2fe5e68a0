import { ClickHouseError, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';

import { Failure } from '../errors.js';
import type { SqlParser } from '../query/sandboxed-select.js';
import { translateClickHouseError } from './translate-error.js';

/** Parsing is a matter of milliseconds; what takes longer is no query for a person. */
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
/** How long a list of tables is believed. */
const TABLES_MS = 10_000;

const NO_SELECT =
  'must be one SELECT, without FORMAT, SETTINGS or INTO OUTFILE, and without parameters in braces';

/** ClickHouse's error numbers that say that a text is too deep, or too much, for its parser. */
const TOO_MUCH: readonly string[] = ['167', '168', '306'];
/** Those that say that it is none, or none that can be explained: of syntax, of parameters, of what EXPLAIN knows. */
const NOT_PARSED: readonly string[] = [
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

/** Asks a ClickHouse server what it makes of SQL. The SQL goes there as a value, or as what the server itself printed. */
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
  let known: { readonly names: readonly string[]; readonly until: number } | undefined;
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
        throw failureOf(error, signal, () => NO_SELECT);
      }
    },
    tables: async (signal) => {
      if (known && clock() < known.until) return known.names;
      try {
        const names = await runQuery(
          'SELECT name FROM system.tables WHERE database = currentDatabase()',
          {},
          signal,
        );
        known = { names, until: clock() + TABLES_MS };
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
  if (signal.aborted) return abandoned(signal, error);
  const problem = error instanceof ClickHouseError ? parserProblem(error, problemOf) : undefined;
  if (problem === undefined) return translateClickHouseError(error);
  return new Failure('INVALID_PARAMETERS', `sql ${problem}.`, {
    problems: [{ param: 'sql', problem }],
    cause: error,
  });
}

/** A deadline of the caller's is one reason, its leaving another. */
function abandoned({ reason }: AbortSignal, cause: unknown): Failure {
  return reason instanceof Failure ? reason : new Failure('CALLER_GONE', 'The caller has gone.', { cause });
}

function parserProblem(
  error: ClickHouseError,
  problemOf: (error: ClickHouseError) => string | undefined,
): string | undefined {
  if (TOO_MUCH.includes(error.code)) return 'is nested too deeply, or too long, to be parsed';
  return NOT_PARSED.includes(error.code) ? problemOf(error) : undefined;
}

/** Only the position is taken from ClickHouse's text: it counts in what the caller sent. */
function syntaxProblem({ message }: ClickHouseError): string {
  if (message.startsWith('Syntax error (Multi-statements')) return 'must be one statement';
  const position = /^Syntax error[^:]*: failed at position (\d{1,6})/.exec(message)?.[1];
  return position === undefined
    ? 'is not a statement that ClickHouse can parse'
    : `is not a statement that ClickHouse can parse: see byte ${position}`;
}
