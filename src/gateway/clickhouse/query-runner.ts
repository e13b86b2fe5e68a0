import type { ClickHouseSettings } from '@clickhouse/client';

import { brokenResponse } from '../formats/broken-response.js';
import { JSON_REPRESENTATION } from '../formats/representation.js';
import { writtenColumns, writtenOwnColumns } from '../formats/written-columns.js';
import type { QueryRequest, QueryResult, RunQuery } from '../query/ports.js';
import { nativeSignal } from '../query/signal.js';
import type { QueryClient } from './connect-clickhouse.js';
import { withDeclaredTypes } from './converted-columns.js';
import { describeOwnSql } from './describe-columns.js';
import { errorOfResponse, EXCEPTION_HEADER } from './error-of-response.js';
import { fetchRows, type SendQuery } from './fetch-rows.js';
import { summaryOf, type QueryMeter } from './query-meter.js';
import {
  distributedSettings,
  limitSettings,
  maxResponseBytes,
  merged,
  narrowLimits,
  SANDBOX_SETTINGS,
  safetySettings,
  type ClusterOptions,
  type RunnerLimits,
  type SettingLayers,
} from './query-settings.js';
import { ofVersion, SETTINGS_OF_VERSIONS } from './parts-of-version.js';
import { withinTime } from './within-time.js';
import { translateClickHouseError } from './translate-error.js';
import { readyQuery } from './ready-query.js';
import { createExplainer } from './rejected-values.js';

const WHOLE_RESPONSE: ClickHouseSettings = { wait_end_of_query: 1 };

/** The parts that all attempts of a query on a server share. */
interface Attempts {
  readonly client: QueryClient;
  readonly meter: QueryMeter;
  /** Maximum size of a response, in bytes. */
  readonly maxBytes: number;
  readonly limits: ClickHouseSettings;
}

/** Creates a runner of queries on a ClickHouse server, or on its cluster, over HTTP. */
export function createQueryRunner(
  client: QueryClient,
  maxLimits: RunnerLimits,
  clusterOptions: ClusterOptions = {},
): RunQuery {
  const explain = createExplainer(client, maxLimits);
  return (request) => {
    const limits = narrowLimits(maxLimits, request.limits);
    const maxBytes = maxResponseBytes(limits);
    return withinTime(request, limits.timeoutMs, explain, (remainingMs, signal, meter) => {
      const timed = { ...request, signal };
      const attempts = { client, meter, maxBytes, limits: limitSettings(limits, remainingMs) };
      const runOnShards: RunWith = (shards) =>
        ofVersion(timed.data, (data) => run(attempts, { ...timed, data }, shards));
      return runDistributed(runOnShards, clusterOptions, timed);
    });
  };
}

/** Settings that skip unreachable shards, but require at least one shard of the query. */
const REACHABLE_SHARDS: ClickHouseSettings = {
  skip_unavailable_shards: 1,
  max_skip_unavailable_shards_ratio: 0.999,
};

/** Runs a query with additional settings. */
type RunWith = (settings: ClickHouseSettings) => Promise<QueryResult>;

/**
 * Runs a query on all its shards. If a shard is unreachable and callers accept partial results, reruns the query on the others and marks
 * the result as partial. Warming has no waiting caller and always requires the complete result.
 */
export async function runDistributed(
  run: RunWith,
  clusterOptions: ClusterOptions,
  { requester, signal }: QueryRequest,
): Promise<QueryResult> {
  const settings = distributedSettings(clusterOptions);
  try {
    return await run(settings);
  } catch (error) {
    if (!clusterOptions.allowsPartial || requester?.priority === 'warming' || signal.aborted) throw error;
    if (translateClickHouseError(error).code !== 'SHARD_UNREACHABLE') throw error;
    return { ...(await run({ ...settings, ...REACHABLE_SHARDS })), partial: true };
  }
}

async function run(
  { client, meter, maxBytes, limits }: Attempts,
  request: QueryRequest,
  shards: ClickHouseSettings,
): Promise<QueryResult> {
  const { query, columns, signal, representation = JSON_REPRESENTATION } = request;
  const settings: SettingLayers = [
    // Prevents a late exception from looking like success, and makes the row count of the summary final.
    WHOLE_RESPONSE,
    safetySettings(query),
    columns === 'unknown' ? SANDBOX_SETTINGS : undefined,
    shards,
    query.settings,
    (request.data ?? request.isVersioned) ? SETTINGS_OF_VERSIONS : undefined,
    limits,
    // The buffer exceeds the limit by one byte, because a response larger than the buffer would go through a temporary file. A full disk
    // truncates that file without an error.
    { http_response_buffer_size: String(maxBytes + 1) },
  ];
  const sendQuery: SendQuery = async (bound, format) => {
    const ready = await readyQuery({ bound, format, settings, request });
    meter.start();
    const { status, headers, body } = await client.sendQuery({ maxBytes, ...ready });
    const summary = summaryOf(headers);
    if (summary) meter.end(summary.cost);
    if (status !== 200 || headers[EXCEPTION_HEADER] !== undefined)
      throw errorOfResponse(status, headers, body.toString());
    if (!summary) throw brokenResponse('no X-ClickHouse-Summary header: is this a ClickHouse server?');
    return { body, queryId: ready.queryId, resultRows: summary.resultRows, cost: summary.cost };
  };
  const written =
    columns === 'unknown'
      ? writtenOwnColumns(
          await describeOwnSql(query, { client, settings: merged(settings), signal: nativeSignal(signal) }),
          representation,
        )
      : writtenColumns(columns, representation);
  return await withDeclaredTypes(written, query, (sent) =>
    fetchRows(
      sent === query ? request : Object.assign({}, request, { query: sent }),
      written,
      sendQuery,
      maxBytes,
    ),
  );
}
