import { ClickHouseError, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';

import { quoteText } from '../../endpoint/quote-sql.js';
import { Failure } from '../errors.js';
import { VARYING_NAMES } from '../facts/query-facts.js';
import type { SqlParser } from '../query/sandboxed-select.js';
import { isErrorOfServer, translateClickHouseError } from './translate-error.js';
import { cancelled } from './within-time.js';

/** Limits of the parser. Parsing takes milliseconds, and a person does not write SQL that exceeds these limits. */
const LIMITS: ClickHouseSettings = {
  readonly: '2',
  max_execution_time: 2,
  max_memory_usage: '200000000',
  max_query_size: '65536',
  max_parser_depth: '300',
  max_parser_backtracks: '30000',
  max_ast_depth: '150',
  max_ast_elements: '5000',
  allow_experimental_analyzer: 1,
  enable_global_with_statement: 1,
};
/** Limits for an author's query, all shapes of which are parsed as one text. */
const LIMITS_OF_AUTHORS: ClickHouseSettings = {
  ...{ readonly: '2', max_execution_time: 4, allow_experimental_analyzer: 1 },
  ...{ max_query_size: '10000000', max_ast_elements: '1000000' },
  // A tree repeats a WITH in each query of a UNION, and must be complete.
  ...{ max_result_bytes: '32000000', result_overflow_mode: 'throw' },
};
const TIMEOUT_MS = 5000;
/** Time for which names are cached, in milliseconds. */
const NAMES_TTL_MS = 10_000;

const SELECT_TABLES = 'SELECT name FROM system.tables WHERE database = currentDatabase()';

const NOT_ONE_SELECT =
  'must be one SELECT, without FORMAT, SETTINGS or INTO OUTFILE, and without parameters in braces';

/** Codes of ClickHouse's errors for text that is too deep, too long or too ambiguous for its parser. */
const TOO_COMPLEX: ReadonlySet<string> = new Set(['167', '168', '306', '396', '718']);
/**
 * Codes of errors that do not depend on the text: the server has no memory or no thread, or stops. The text causes all others, unless the
 * gateway knows them as errors of the server.
 */
const OF_THE_SERVER: ReadonlySet<string> = new Set(['173', '203', '236', '394', '425', '439']);

/** Creates a parser that sends callers' SQL to ClickHouse, as a bound value or in the form that the server printed. */
export function createSqlParser(client: ClickHouseClient): SqlParser {
  const runQuery: RunQuery = async (query, parameters, signal, limits = LIMITS) => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const result = await client.query({
        query,
        query_params: parameters,
        format: 'JSONCompactEachRow',
        abort_signal: AbortSignal.any([signal, timeout]),
        clickhouse_settings: limits,
      });
      return (await result.json<readonly [string]>()).map(([text]) => text);
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error;
      throw new Failure('QUERY_TIMEOUT', 'The analysis of sql was stopped at its time limit. Try again.', {
        cause: error,
      });
    }
  };
  const namesIn = cachedNames(runQuery);
  return {
    print: async (sql, signal, size) => {
      // Long text is not a parameter, because parameters are in the URL.
      const [written, parameters] = size ? [quoteText(sql), {}] : ['{sql:String}', { sql }];
      try {
        const query = `SELECT formatQuerySingleLine(${written})`;
        const [text = ''] = await runQuery(query, parameters, signal, size && LIMITS_OF_AUTHORS);
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
    tables: (signal) => namesIn(SELECT_TABLES, {}, signal),
    varyingFunctions: (signal) => namesIn(VARYING_NAMES, {}, signal),
    lines: async (query, signal) => {
      try {
        return await runQuery(query, {}, signal, LIMITS_OF_AUTHORS);
      } catch (error) {
        throw failureOf(error, signal, () => NOT_ONE_SELECT);
      }
    },
  };
}

type RunQuery = (
  query: string,
  parameters: Readonly<Record<string, string>>,
  signal: AbortSignal,
  limits?: ClickHouseSettings,
) => Promise<readonly string[]>;

/** Runs queries that list names, and caches their results. */
function cachedNames(runQuery: RunQuery): RunQuery {
  const cached = new Map<string, { readonly names: readonly string[]; readonly expiresAt: number }>();
  return async (query, parameters, signal) => {
    const key = JSON.stringify([query, parameters]);
    const { names, expiresAt = 0 } = cached.get(key) ?? {};
    if (names && Date.now() < expiresAt) return names;
    try {
      const found = await runQuery(query, parameters, signal);
      cached.set(key, { names: found, expiresAt: Date.now() + NAMES_TTL_MS });
      return found;
    } catch (error) {
      throw failureOf(error, signal, () => undefined);
    }
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

function parserProblem(
  error: ClickHouseError,
  problemOf: (error: ClickHouseError) => string | undefined,
): string | undefined {
  if (TOO_COMPLEX.has(error.code)) return 'is too deeply nested, or too long, to be parsed';
  return OF_THE_SERVER.has(error.code) || isErrorOfServer(error) ? undefined : problemOf(error);
}

/** Uses only the position in ClickHouse's message. It refers to the SQL as the caller sent it. */
function syntaxProblem({ message }: ClickHouseError): string {
  if (message.startsWith('Syntax error (Multi-statements')) return 'must be one statement';
  const position = /^Syntax error[^:]*: failed at position (\d{1,6})/.exec(message)?.[1];
  return position === undefined
    ? 'is not a statement that ClickHouse can parse'
    : `is not a statement that ClickHouse can parse: see byte ${position}`;
}
