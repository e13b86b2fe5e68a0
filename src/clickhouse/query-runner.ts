import { parseError, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';

import type { Column, QueryLimits } from '../endpoint/definition.js';
import { Failure } from '../errors.js';
import { brokenResponse } from '../formats/broken-response.js';
import type { ResultColumn } from '../formats/format.js';
import { LinkedAbort } from '../query/linked-abort.js';
import type { QueryRequest, QueryResult, RunQuery } from '../query/ports.js';
import { describeColumns } from './describe-columns.js';
import { runDistributed, type ClusterOptions } from './distributed-queries.js';
import { fetchRows, type SendQuery } from './fetch-rows.js';
import { resultTooLarge, translateClickHouseError } from './translate-error.js';
import { translateSqlError } from './translate-sql-error.js';

/** How far any query may go; an endpoint's own limits can only be narrower. */
export interface RunnerLimits extends Omit<QueryLimits, 'timeoutSeconds'> {
  readonly timeoutMs: number;
}

/**
 * What every query carries. `readonly` is a second wall behind the rights of the ClickHouse user, and what lets
 * ClickHouse end a query whose client has gone; waiting for the end keeps a late exception from looking like success, and
 * makes the row count of the summary final.
 */
const SAFETY: ClickHouseSettings = {
  readonly: '2',
  wait_end_of_query: 1,
  cancel_http_readonly_queries_on_client_close: 1,
  http_write_exception_in_output_format: 0,
  session_timezone: 'UTC',
};

/**
 * Bytes of a response that ClickHouse buffers in memory, and the gateway too, at the least. A narrower limit is for the
 * values of a result: written as text these can take several times as much.
 */
const MIN_RESPONSE_BYTES = 32 * 1024 * 1024;

/** Tells of an exception whatever the status is. */
const EXCEPTION_HEADER = 'x-clickhouse-exception-code';

const SETTING_OF = {
  maxMemoryBytes: 'max_memory_usage',
  maxRowsToRead: 'max_rows_to_read',
  maxBytesToRead: 'max_bytes_to_read',
  maxResultBytes: 'max_result_bytes',
} as const satisfies Readonly<Record<keyof Omit<RunnerLimits, 'timeoutMs'>, keyof ClickHouseSettings>>;

const CEILINGS = Object.keys(SETTING_OF) as readonly (keyof typeof SETTING_OF)[];

/**
 * What a query around a caller's own SQL carries beside: names in it mean what they meant when it was judged, the order
 * that it asks for stays, and none of its filters becomes a PREWHERE, should one ever pass the barrier around its parts.
 */
const CALLERS_OWN_SQL: ClickHouseSettings = {
  allow_experimental_analyzer: 1,
  enable_global_with_statement: 1,
  query_plan_remove_redundant_sorting: 0,
  // Joins as they are written: ClickHouse orders them by rows that it expects, other tenants' included, and the order decides
  // whether a side that throws is read at all.
  query_plan_join_swap_table: 'false',
  query_plan_optimize_join_order_limit: '0',
  optimize_move_to_prewhere: 0,
  max_parser_depth: '500',
  max_ast_depth: '300',
  max_ast_elements: '20000',
  max_temporary_columns: '5000',
  // A query that nobody waits for ends between two blocks, and joins make blocks that take seconds.
  max_block_size: '8192',
  max_joined_block_size_rows: '8192',
};

/** Runs queries on a ClickHouse server, or on the cluster that it is of, over its HTTP interface. */
export function createQueryRunner(
  client: ClickHouseClient,
  bounds: RunnerLimits,
  clusterOptions: ClusterOptions = {},
): RunQuery {
  return async (request) => {
    const limits = narrowed(bounds, request.limits);
    const leftMs = Math.max(1, limits.timeoutMs - (request.spentMs ?? 0));
    const bound = new LinkedAbort(request.signal);
    const timer = setTimeout(() => {
      bound.abort(new Error('time limit'));
    }, leftMs);
    try {
      // The client notices only what is aborted after it was called.
      bound.signal.throwIfAborted();
      const bounded = { ...request, signal: bound.signal };
      const runWith = (settings: ClickHouseSettings): Promise<QueryResult> =>
        run(client, bounded, maxResponseBytes(limits), {
          ...settings,
          ...request.query.settings,
          ...limitSettings({ ...limits, timeoutMs: leftMs }),
        });
      return await runDistributed(runWith, clusterOptions, bounded);
    } catch (error) {
      if (request.signal.aborted) throw abandoned(request.signal, error);
      if (bound.signal.aborted) throw timedOut(limits, error);
      throw request.columns === 'unknown' ? translateSqlError(error) : translateClickHouseError(error);
    } finally {
      clearTimeout(timer);
      bound.end();
    }
  };
}

async function run(
  client: ClickHouseClient,
  request: QueryRequest,
  maxBytes: number,
  further: ClickHouseSettings,
): Promise<QueryResult> {
  const { query, columns, requestId, signal } = request;
  const settings: ClickHouseSettings = {
    ...SAFETY,
    ...(columns === 'unknown' && CALLERS_OWN_SQL),
    ...further,
    // What is over the buffer goes through a temporary file, which a full disk cuts without an error: one byte over the limit.
    http_response_buffer_size: String(maxBytes + 1),
  };
  const sendQuery: SendQuery = async ({ text, parameters }, format) => {
    // A caller's id may come twice at the same time, ClickHouse's may not.
    const queryId = `${requestId}-${randomBytes(4).toString('hex')}`;
    const { stream, summary, http_status_code, response_headers } = await client.exec({
      query: `${text}\nFORMAT ${format.name}`,
      query_params: parameters,
      query_id: queryId,
      abort_signal: signal,
      // Read here: it has to be known that an answer began, also when the connection is lost in the middle of an error.
      ignore_error_response: true,
      ...(request.traceHeaders && { http_headers: { ...request.traceHeaders } }),
      // Not with the settings that DESCRIBE has too: a comment marks the queries that are run for a request.
      clickhouse_settings: { ...settings, ...format.settings, log_comment: requestId },
    });
    request.onResponse?.();
    const body = await collect(stream, signal, maxBytes);
    if (http_status_code !== 200 || response_headers[EXCEPTION_HEADER] !== undefined) {
      throw parseError(body.toString());
    }
    if (!summary) throw brokenResponse('no X-ClickHouse-Summary header: is this a ClickHouse server?');
    return {
      body,
      queryId,
      resultRows: Number(summary.result_rows),
      rowsRead: Number(summary.read_rows),
      bytesRead: Number(summary.read_bytes),
      clickhouseMs: Number(summary.elapsed_ns) / 1e6,
    };
  };
  const described =
    columns === 'unknown' ? await describeColumns(client, query, settings, signal) : columnsOf(columns);
  return fetchRows(request, described, sendQuery);
}

function columnsOf(columns: ReadonlyMap<string, Column>): readonly ResultColumn[] {
  return [...columns].map(([name, { type }]) => ({ name, type }));
}

function narrowed(bounds: RunnerLimits, own: QueryLimits | undefined): RunnerLimits {
  if (!own) return bounds;
  const lower = CEILINGS.map(
    (name) => [name, Math.min(bounds[name] ?? Infinity, own[name] ?? Infinity)] as const,
  );
  return {
    timeoutMs: Math.min(bounds.timeoutMs, (own.timeoutSeconds ?? Infinity) * 1000),
    ...Object.fromEntries(lower.filter(([, ceiling]) => ceiling !== Infinity)),
  };
}

function limitSettings(limits: RunnerLimits): ClickHouseSettings {
  const ceilings = CEILINGS.flatMap((name) => {
    const ceiling = limits[name];
    return ceiling === undefined ? [] : [[SETTING_OF[name], String(ceiling)] as const];
  });
  return { max_execution_time: Math.ceil(limits.timeoutMs / 1000), ...Object.fromEntries(ceilings) };
}

function maxResponseBytes({ maxResultBytes = 0 }: RunnerLimits): number {
  return Math.max(MIN_RESPONSE_BYTES, maxResultBytes);
}

/** @throws Failure RESULT_TOO_LARGE */
async function collect(stream: Readable, signal: AbortSignal, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const abort = (): void => void stream.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw resultTooLarge(`a response of more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } finally {
    signal.removeEventListener('abort', abort);
  }
  return Buffer.concat(chunks, length);
}

/** Why nobody waits for a query any more: a deadline of the caller's is one reason, its leaving another. */
function abandoned({ reason }: AbortSignal, cause: unknown): Failure {
  return reason instanceof Failure ? reason : new Failure('CALLER_GONE', 'The caller has gone.', { cause });
}

function timedOut({ timeoutMs }: RunnerLimits, cause: unknown): Failure {
  return new Failure(
    'QUERY_TIMEOUT',
    `The query was stopped at its time limit of ${timeoutMs / 1000} seconds. Narrow it with its parameters.`,
    { cause },
  );
}
