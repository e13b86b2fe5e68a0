import { parseError, type ClickHouseSettings } from '@clickhouse/client';
import { randomInt } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import { hasSecretValue } from '../../endpoint/bind.js';
import type { QueryLimits } from '../../endpoint/definition.js';
import { Figures } from '../../endpoint/figures.js';
import { Failure } from '../errors.js';
import { brokenResponse } from '../formats/broken-response.js';
import { JSON_REPRESENTATION } from '../formats/representation.js';
import { writtenColumns, writtenOwnColumns } from '../formats/written-columns.js';
import { LinkedAbort } from '../query/linked-abort.js';
import type { QueryRequest, QueryResult, RunQuery } from '../query/ports.js';
import type { QueryClient } from './connect-clickhouse.js';
import { describeOwnSql } from './describe-columns.js';
import { runDistributed, type ClusterOptions } from './distributed-queries.js';
import { errorNames } from './error-names.js';
import { explained } from './explain-error.js';
import { fetchRows, type SendQuery } from './fetch-rows.js';
import { parametersOf, searchOf } from './multipart-parameters.js';
import { translateClickHouseError } from './translate-error.js';
import { translateSqlError } from './translate-sql-error.js';

/** Limits of all queries; an endpoint can only narrow them. */
export interface RunnerLimits extends Omit<QueryLimits, 'timeoutSeconds'> {
  readonly timeoutMs: number;
}

/**
 * Settings of every query. `readonly` is a second barrier behind the grants of the ClickHouse user, and allows
 * ClickHouse to cancel the query of a disconnected client. `wait_end_of_query` prevents a late exception from looking
 * like success and makes the row count of the summary final.
 */
const SAFETY_SETTINGS: ClickHouseSettings = {
  readonly: '2',
  wait_end_of_query: 1,
  cancel_http_readonly_queries_on_client_close: 1,
  http_write_exception_in_output_format: 0,
  session_timezone: 'UTC',
};

/**
 * Minimum size of the response buffer, in ClickHouse and in the gateway. A narrower limit applies to the values of a
 * result; their text can be several times as long.
 */
const MIN_RESPONSE_BYTES = 32 * 1024 * 1024;

/** Characters of a query with a secret value that ClickHouse logs: too few to be more than a keyword. */
const LOGGED_LENGTH = '4';

/** Query ids end with eight hexadecimal digits. Node.js takes random integers from a pool. */
const QUERY_ID_RANGE = 2 ** 32;

/** Signals an exception, whatever the status. */
const EXCEPTION_HEADER = 'x-clickhouse-exception-code';

const SETTING_BY_LIMIT = {
  maxMemoryBytes: 'max_memory_usage',
  maxRowsToRead: 'max_rows_to_read',
  maxBytesToRead: 'max_bytes_to_read',
  maxResultBytes: 'max_result_bytes',
} as const satisfies Readonly<Record<keyof Omit<RunnerLimits, 'timeoutMs'>, keyof ClickHouseSettings>>;

const LIMIT_NAMES = Object.keys(SETTING_BY_LIMIT) as readonly (keyof typeof SETTING_BY_LIMIT)[];

/**
 * Additional settings of a query with a caller's own SQL: names mean what they meant in the sandbox check, the
 * caller's order is preserved, and no filter of the caller becomes a PREWHERE, in case one ever passes the barrier
 * around the named parts.
 */
const SANDBOX_SETTINGS: ClickHouseSettings = {
  allow_experimental_analyzer: 1,
  enable_global_with_statement: 1,
  query_plan_remove_redundant_sorting: 0,
  // Joins run as written: ClickHouse would order them by estimated rows, including other tenants', and the order
  // decides whether a side that throws is read at all.
  query_plan_join_swap_table: 'false',
  query_plan_optimize_join_order_limit: '0',
  optimize_move_to_prewhere: 0,
  max_parser_depth: '500',
  max_ast_depth: '300',
  max_ast_elements: '20000',
  max_temporary_columns: '5000',
  // ClickHouse cancels a query between two blocks, and a large block of a join takes seconds.
  max_block_size: '8192',
  max_joined_block_size_rows: '8192',
};

/** Creates a runner of queries on a ClickHouse server, or on its cluster, over HTTP. */
export function createQueryRunner(
  client: QueryClient,
  maxLimits: RunnerLimits,
  clusterOptions: ClusterOptions = {},
): RunQuery {
  const nameOf = errorNames(client);
  return async (request) => {
    const limits = narrowLimits(maxLimits, request.limits);
    const remainingMs = Math.max(1, limits.timeoutMs - (request.spentMs ?? 0));
    const abort = new LinkedAbort(request.signal);
    const timer = setTimeout(() => {
      abort.abort(new Error('time limit'));
    }, remainingMs);
    try {
      // The client only notices an abort after the call.
      abort.signal.throwIfAborted();
      const timedRequest = { ...request, signal: abort.signal };
      const runWith = (settings: ClickHouseSettings): Promise<QueryResult> =>
        run(client, timedRequest, maxResponseBytes(limits), {
          ...settings,
          ...request.query.settings,
          ...limitSettings({ ...limits, timeoutMs: remainingMs }),
        });
      return await runDistributed(runWith, clusterOptions, timedRequest);
    } catch (error) {
      const cause = hasSecretValue(request.query) ? undefined : error;
      if (request.signal.aborted) throw cancelled(request.signal, cause);
      if (abort.signal.aborted) throw timedOut(limits, cause);
      const translate = request.columns === 'unknown' ? translateSqlError : translateClickHouseError;
      const failure = await explained(translate(error), request, nameOf);
      throw hasSecretValue(request.query) ? withoutCause(failure) : failure;
    } finally {
      clearTimeout(timer);
      abort.end();
    }
  };
}

async function run(
  client: QueryClient,
  request: QueryRequest,
  maxBytes: number,
  extraSettings: ClickHouseSettings,
): Promise<QueryResult> {
  const { query, columns, requestId, signal, representation = JSON_REPRESENTATION } = request;
  const settings: ClickHouseSettings = {
    ...SAFETY_SETTINGS,
    ...(columns === 'unknown' && SANDBOX_SETTINGS),
    // ClickHouse writes bound values into the text that it logs. The rest of the record stays, so that the request is found.
    ...(hasSecretValue(query) && { log_queries_cut_to_length: LOGGED_LENGTH }),
    ...extraSettings,
    // A larger response would go through a temporary file, which a full disk truncates without an error: the buffer
    // exceeds the limit by one byte.
    http_response_buffer_size: String(maxBytes + 1),
  };
  const sendQuery: SendQuery = async (bound, format) => {
    // Two callers may send the same request id at the same time; ClickHouse requires unique ids.
    const queryId = `${requestId}-${randomInt(QUERY_ID_RANGE).toString(16).padStart(8, '0')}`;
    const {
      parameters,
      body: sentBody,
      headers,
    } = await parametersOf(`${bound.text}\nFORMAT ${format.name}`, bound);
    // `log_comment` is not in `settings`, which DESCRIBE uses too: it marks only the queries that run for a request.
    const own = searchOf({ ...settings, ...format.settings, log_comment: requestId, query_id: queryId });
    const response = await client.sendQuery({
      search: parameters === '' ? own : `${own}&${parameters}`,
      body: sentBody,
      headers: { ...request.traceHeaders, ...headers },
      signal,
      maxBytes,
      onResponse: request.onResponse,
    });
    const { body } = response;
    if (response.status !== 200 || response.headers[EXCEPTION_HEADER] !== undefined) {
      throw parseError(body.toString());
    }
    const summary = summaryOf(response.headers);
    if (!summary) throw brokenResponse('no X-ClickHouse-Summary header: is this a ClickHouse server?');
    return {
      body,
      queryId,
      resultRows: Number(summary.result_rows),
      cost: new Figures({
        rowsRead: Number(summary.read_rows ?? 0),
        bytesRead: Number(summary.read_bytes ?? 0),
        clickhouseMs: Number(summary.elapsed_ns ?? 0) / 1e6,
      }),
    };
  };
  const written =
    columns === 'unknown'
      ? writtenOwnColumns(await describeOwnSql(query, { client, settings, signal }), representation)
      : writtenColumns(columns, representation);
  return fetchRows(request, written, sendQuery, maxBytes);
}

function narrowLimits(maxLimits: RunnerLimits, endpointLimits: QueryLimits | undefined): RunnerLimits {
  if (!endpointLimits) return maxLimits;
  const lower = LIMIT_NAMES.map(
    (name) => [name, Math.min(maxLimits[name] ?? Infinity, endpointLimits[name] ?? Infinity)] as const,
  );
  return {
    timeoutMs: Math.min(maxLimits.timeoutMs, (endpointLimits.timeoutSeconds ?? Infinity) * 1000),
    ...Object.fromEntries(lower.filter(([, ceiling]) => ceiling !== Infinity)),
  };
}

function limitSettings(limits: RunnerLimits): ClickHouseSettings {
  const settings: ClickHouseSettings = { max_execution_time: Math.ceil(limits.timeoutMs / 1000) };
  for (const name of LIMIT_NAMES) {
    const ceiling = limits[name];
    if (ceiling !== undefined) settings[SETTING_BY_LIMIT[name]] = String(ceiling);
  }
  return settings;
}

/** Bytes that the gateway holds of one response at most. */
export function maxResponseBytes({ maxResultBytes = 0 }: Pick<RunnerLimits, 'maxResultBytes'>): number {
  return Math.max(MIN_RESPONSE_BYTES, maxResultBytes);
}

type Summary = Readonly<Partial<Record<'read_rows' | 'read_bytes' | 'result_rows' | 'elapsed_ns', string>>>;

/** What ClickHouse reports about a query; undefined if a server that is not ClickHouse responds. */
function summaryOf(headers: IncomingHttpHeaders): Summary | undefined {
  try {
    return JSON.parse(String(headers['x-clickhouse-summary'])) as Summary;
  } catch {
    return undefined;
  }
}

/** ClickHouse's text can quote a value, so that of a query with a secret value must not reach a log. */
function withoutCause({ code, message, details }: Failure): Failure {
  return new Failure(code, message, { ...details, cause: undefined });
}

/** Why a query was cancelled: a Failure such as the caller's deadline, or else a disconnected client. */
function cancelled({ reason }: AbortSignal, cause: unknown): Failure {
  return reason instanceof Failure
    ? reason
    : new Failure('CALLER_GONE', 'The client disconnected.', { cause });
}

function timedOut({ timeoutMs }: RunnerLimits, cause: unknown): Failure {
  return new Failure(
    'QUERY_TIMEOUT',
    `The query was stopped at its time limit of ${timeoutMs / 1000} seconds. Narrow it with its parameters.`,
    { cause },
  );
}
