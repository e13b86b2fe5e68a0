import { ClickHouseError } from '@clickhouse/client';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';

import { Figures } from '../../endpoint/figures.js';
import { MOST_EXPORTED } from '../../endpoint/settings-schema.js';
import { Failure } from '../errors.js';
import { brokenResponse } from '../formats/broken-response.js';
import { writtenColumns } from '../formats/written-columns.js';
import type { ExportOutcome, ExportRequest, RunExport } from '../query/ports.js';
import { nativeSignal, type Signal } from '../query/signal.js';
import type { QueryClient } from './connect-clickhouse.js';
import { withDeclaredTypes } from './converted-columns.js';
import { EXCEPTION_TAG_HEADER } from './exception-block.js';
import { ExportBody } from './export-body.js';
import { exportWriting } from './export-writing.js';
import type { QueryMeter } from './query-meter.js';
import {
  distributedSettings,
  limitSettings,
  narrowLimits,
  safetySettings,
  type ClusterOptions,
  type RunnerLimits,
  type SettingLayers,
} from './query-settings.js';
import { withinTime } from './within-time.js';
import { readyQuery } from './ready-query.js';
import { requireRows } from './require-rows.js';
import { createExplainer } from './rejected-values.js';

/**
 * Creates a runner of exports. ClickHouse sends rows while it still reads. So the last line of a text format, or the end of a file, must
 * prove that all rows arrived.
 */
export function createExportRunner(
  client: QueryClient,
  maxLimits: RunnerLimits,
  clusterOptions: ClusterOptions,
): RunExport {
  const explain = createExplainer(client, maxLimits);
  return (request) => {
    const timeoutMs = request.maxSeconds * 1000;
    return withinTime(request, timeoutMs, explain, async (remainingMs, signal, meter) => {
      const settings: SettingLayers = [
        safetySettings(request.query),
        client.overrides.yielding,
        distributedSettings(clusterOptions),
        request.query.settings,
        limitSettings(narrowLimits(maxLimits, request.limits), remainingMs),
        // More rows cause an exception, which ends the export. The bytes of the values are not limited.
        { max_result_rows: String(request.rowCap), max_result_bytes: String(MOST_EXPORTED.bytes) },
      ];
      try {
        return await run(client, meter, { ...request, signal }, settings);
      } catch (error) {
        throw explainCap(error, request);
      }
    });
  };
}

async function run(
  client: QueryClient,
  meter: QueryMeter,
  request: ExportRequest,
  settings: SettingLayers,
): Promise<ExportOutcome> {
  const { query, columns, representation, reader, waitingMs, takeTurn, openSink, signal } = request;
  if (columns === 'unknown') throw new TypeError('a caller’s own SQL has no exports');
  const written = writtenColumns(columns, representation);
  const { format, body } = exportWriting(written, reader);
  const { response, queryId } = await withDeclaredTypes(written, query, async (bound) => {
    const ready = await readyQuery({ bound: written.project(bound), format, settings, request });
    meter.start();
    const opened = await client.openQuery(ready);
    await requireRows(opened, meter);
    return { response: opened, queryId: ready.queryId };
  });
  const { streams, onComplete } = openSink();
  const tag = response.headers[EXCEPTION_TAG_HEADER]?.toString();
  const exported = new ExportBody(body, tag, takeTurn);
  meter.sent = () => exported.sent;
  const outcome = (): ExportOutcome => {
    const { figures, bytes } = exported;
    const cost = figures && new Figures(figures.cost);
    return { rowCount: figures?.rowCount, bytes, cost, queryId, waitingMs };
  };
  exported.once('complete', () => {
    onComplete(outcome());
  });
  await transfer(response, exported, streams, signal);
  return outcome();
}

/** @throws ClickHouseError, or Failure CLICKHOUSE_ANSWER_BROKEN */
async function transfer(
  response: IncomingMessage,
  exported: ExportBody,
  streams: readonly NodeJS.WritableStream[],
  signal: Signal,
): Promise<void> {
  const scan = (chunk: Buffer): void => {
    exported.scan(chunk);
  };
  response.on('data', scan);
  // When the connection closes, as after an exception, Node drops received bytes of the response that were not read.
  response.once('aborted', () => {
    for (let chunk; (chunk = response.read() as Buffer | null) !== null;) scan(chunk);
  });
  try {
    // The signal also ends the transfer, because a slow client may exceed the time limit after ClickHouse has sent everything.
    await pipeline([response, exported, ...streams], { signal: nativeSignal(signal) });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw (
      exported.exception ??
      brokenResponse(`the connection closed after ${exported.bytes} bytes of an export: ${String(error)}`)
    );
  }
}

/** ClickHouse's code for a result with too many rows. */
const TOO_MANY_ROWS_OR_BYTES = '396';

function explainCap(error: unknown, { rowCap }: ExportRequest): unknown {
  if (!(error instanceof ClickHouseError) || error.code !== TOO_MANY_ROWS_OR_BYTES) return error;
  return new Failure(
    'RESULT_TOO_LARGE',
    `The export has more rows than ${rowCap}, the most that an export of this endpoint may have. Narrow it with its parameters.`,
    { cause: error },
  );
}
