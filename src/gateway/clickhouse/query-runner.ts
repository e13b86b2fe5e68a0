import type { ClickHouseSettings } from '@clickhouse/client';

import { brokenResponse } from '../formats/broken-response.js';
import { JSON_REPRESENTATION } from '../formats/representation.js';
import { writtenColumns, writtenOwnColumns } from '../formats/written-columns.js';
import type { KnownData } from '../query/known-data.js';
import type { QueryRequest, QueryResult, RunQuery } from '../query/ports.js';
import { nativeSignal } from '../query/signal.js';
import type { QueryClient } from './connect-clickhouse.js';
import { withDeclaredTypes } from './converted-columns.js';
import { describeOwnSql } from './describe-columns.js';
import { runDistributed, type ClusterOptions, type RunWith } from './distributed-queries.js';
import { errorOfResponse, EXCEPTION_HEADER } from './error-of-response.js';
import { fetchRows, type SendQuery } from './fetch-rows.js';
import {
  limitSettings,
  maxResponseBytes,
  merged,
  narrowLimits,
  SANDBOX_SETTINGS,
  safetySettings,
  type RunnerLimits,
  type SettingLayers,
} from './query-settings.js';
import { isOfVersions, SETTINGS_OF_VERSIONS } from './parts-of-version.js';
import { summaryOf, type QueryMeter } from './query-meter.js';
import { readyQuery } from './ready-query.js';
import { createExplainer } from './rejected-values.js';
import { withinTime } from './within-time.js';

const WHOLE_RESPONSE: ClickHouseSettings = { wait_end_of_query: 1 };

/** Creates a runner of queries on a ClickHouse server, or on its cluster, over HTTP. */
export function createQueryRunner(
  client: QueryClient,
  maxLimits: RunnerLimits,
  clusterOptions: ClusterOptions = {},
): RunQuery {
  const explain = createExplainer(client, maxLimits);
  return (request) => {
    const limits = narrowLimits(maxLimits, request.limits);
    return withinTime(request, limits.timeoutMs, explain, (timeoutMs, signal, meter) => {
      const timedRequest = { ...request, signal };
      const runOnShards: RunWith = (settings) =>
        ofVersion(request.data, (data) =>
          run(client, meter, maxResponseBytes(limits), { ...timedRequest, data }, [
            settings,
            request.query.settings,
            (data ?? request.isVersioned) ? SETTINGS_OF_VERSIONS : undefined,
            limitSettings(limits, timeoutMs),
          ]),
        );
      return runDistributed(runOnShards, clusterOptions, timedRequest);
    });
  };
}

/**
 * Runs a query over a version of the data. Where it would read data of a later one, it runs over all data instead, so that its
 * result is right in any case.
 */
async function ofVersion(
  data: KnownData | undefined,
  runOver: (data: KnownData | undefined) => Promise<QueryResult>,
): Promise<QueryResult> {
  if (!data) return await runOver(undefined);
  try {
    return { isOfVersion: true, ...(await runOver(data)) };
  } catch (error) {
    if (!isOfVersions(error)) throw error;
    return runOver(undefined);
  }
}

/** @param maxBytes bytes that a response may have. */
async function run(
  client: QueryClient,
  meter: QueryMeter,
  maxBytes: number,
  request: QueryRequest,
  extraSettings: SettingLayers,
): Promise<QueryResult> {
  const { query, columns, signal, representation = JSON_REPRESENTATION } = request;
  const settings: SettingLayers = [
    // Prevents a late exception from looking like success, and makes the row count of the summary final.
    WHOLE_RESPONSE,
    safetySettings(query),
    columns === 'unknown' ? SANDBOX_SETTINGS : undefined,
    ...extraSettings,
    // A larger response would go through a temporary file, which a full disk truncates without an error: the buffer
    // exceeds the limit by one byte.
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
