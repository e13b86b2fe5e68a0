import { ClickHouseError, parseError, type ClickHouseSettings } from '@clickhouse/client';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';

import { ROW_LIMIT } from '../../endpoint/reserved.js';
import { Figures, OWN_ROWS_READER } from '../../endpoint/figures.js';
import { Failure } from '../errors.js';
import { brokenResponse } from '../formats/broken-response.js';
import { FormulaDisarmer } from '../formats/cut-lines.js';
import { escapeLineEnds } from '../formats/escape-line-ends.js';
import { exportFormat, type ReportedFigures } from '../formats/exported-rows.js';
import type { ClickHouseFormat, FileFormat, RowFormat } from '../formats/format.js';
import { FORMATS } from '../formats/formats.js';
import { writtenColumns, type WrittenColumns } from '../formats/written-columns.js';
import type { ExportOutcome, ExportRequest, RunExport } from '../query/ports.js';
import type { QueryClient } from './connect-clickhouse.js';
import { distributedSettings, type ClusterOptions } from './distributed-queries.js';
import { errorNames } from './error-names.js';
import { EXCEPTION_TAG_HEADER, ExportBody, type ExportedBody } from './export-body.js';
import { asUtf8 } from './fetch-rows.js';
import { EXCEPTION_HEADER } from './query-runner.js';
import { limitSettings, narrowLimits, safetySettings, type RunnerLimits } from './query-settings.js';
import { readyQuery } from './ready-query.js';
import { withinTime } from './within-time.js';

/**
 * Creates a runner of exports. ClickHouse sends rows while it still reads; what proves that all of them came is the last line
 * of a text format, and the end of a file.
 */
export function createExportRunner(
  client: QueryClient,
  maxLimits: RunnerLimits,
  clusterOptions: ClusterOptions = {},
): RunExport {
  const nameOf = errorNames(client);
  return (request) => {
    const timeoutMs = request.maxSeconds * 1000;
    return withinTime(request, timeoutMs, nameOf, async (remainingMs, signal) => {
      const limits = { ...narrowLimits(maxLimits, request.limits), timeoutMs: remainingMs };
      const settings = {
        ...distributedSettings(clusterOptions),
        ...request.query.settings,
        ...limitSettings(limits),
        ...exportSettings(request),
      };
      try {
        return await run(client, { ...request, signal }, settings);
      } catch (error) {
        throw explainCap(error, request);
      }
    });
  };
}

/** Rows are what an endpoint limits, not the bytes of its values. The users file of the gateway allows as many. */
export const MAX_EXPORT_BYTES = 1_000_000_000_000;

/** More rows than the cap are an exception, which breaks the export off. */
function exportSettings({ query, rowCap }: ExportRequest): ClickHouseSettings {
  return {
    ...safetySettings(query),
    max_result_rows: String(rowCap),
    max_result_bytes: String(MAX_EXPORT_BYTES),
  };
}

async function run(
  client: QueryClient,
  request: ExportRequest,
  settings: ClickHouseSettings,
): Promise<ExportOutcome> {
  const { query, columns, representation, rowCap, openSink } = request;
  if (columns === 'unknown') throw new TypeError('a caller’s own SQL has no exports');
  const written = writtenColumns(columns, representation);
  const { format, body } = writingOf(written, request);
  const bound = written.project({
    ...query,
    parameters: { ...query.parameters, [ROW_LIMIT]: rowCap + 1 },
  });
  const { queryId, ...ready } = await readyQuery({ bound, format, settings, request });
  const response = await client.openQuery(ready);
  await requireRows(response);
  const { streams, onComplete } = openSink();
  let figures: ReportedFigures | undefined;
  const exported = new ExportBody(
    {
      ...body,
      end: (reported) => {
        figures = reported;
        onComplete(reported?.rowCount);
        return body.end(reported);
      },
    },
    response.headers[EXCEPTION_TAG_HEADER]?.toString(),
    request.takeTurn,
  );
  await transfer(response, exported, streams);
  return {
    rowCount: figures?.rowCount,
    bytes: exported.bytes,
    cost: figures && new Figures(figures.cost),
    queryId,
  };
}

/** @throws ClickHouseError or Failure where ClickHouse responds with something else than rows */
async function requireRows(response: IncomingMessage): Promise<void> {
  const { statusCode, headers } = response;
  if (statusCode !== 200 || headers[EXCEPTION_HEADER] !== undefined) throw parseError(await text(response));
  if (headers['x-clickhouse-summary'] !== undefined) return;
  response.destroy();
  throw brokenResponse('no X-ClickHouse-Summary header: is this a ClickHouse server?');
}

/** @throws ClickHouseError, or Failure CLICKHOUSE_ANSWER_BROKEN */
async function transfer(
  response: IncomingMessage,
  exported: ExportBody,
  streams: readonly NodeJS.WritableStream[],
): Promise<void> {
  const scan = (chunk: Buffer): void => {
    exported.scan(chunk);
  };
  response.on('data', scan);
  // Node drops what it has received of a response when the connection closes. After an exception ClickHouse closes it.
  response.once('aborted', () => {
    for (let chunk; (chunk = response.read() as Buffer | null) !== null;) scan(chunk);
  });
  try {
    await pipeline([response, exported, ...streams]);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw (
      exported.exception ??
      brokenResponse(`the connection closed after ${exported.bytes} bytes of an export: ${String(error)}`)
    );
  }
}

interface Writing {
  readonly format: ClickHouseFormat;
  readonly body: ExportedBody;
}

function writingOf(written: WrittenColumns, request: ExportRequest): Writing {
  const format = FORMATS[written.representation.format];
  return 'exportRows' in format ? textOf(format, written, request) : fileOf(format, written);
}

function fileOf({ isComplete }: FileFormat, { clickHouseFormat }: WrittenColumns): Writing {
  const nothing = Buffer.alloc(0);
  const body = { start: nothing, mark: undefined, finish: identity, isComplete, end: () => nothing };
  return { format: clickHouseFormat, body };
}

function textOf(
  format: RowFormat,
  { representation, columns }: WrittenColumns,
  { reader }: ExportRequest,
): Writing {
  const { times, formulaSafe } = representation;
  const rows = format.exportRows(columns, times);
  const mark = `end${randomUUID().replaceAll('-', '')}`;
  const finish = format.values === 'json' ? finishJson : formulaSafe ? finishSafely() : asUtf8;
  const body: ExportedBody = {
    start: finish(Buffer.from(rows.start)),
    mark,
    finish,
    isComplete: () => true,
    end: (reported) => {
      const { rowCount = 0, cost } = reported ?? {};
      const readable = cost && new Figures(cost).readBy(reader ?? OWN_ROWS_READER);
      return Buffer.from(rows.end({ rowCount, cost: readable }));
    },
  };
  return { format: exportFormat(columns, rows, mark), body };
}

const identity = (bytes: Buffer): Buffer => bytes;

function finishJson(lines: Buffer): Buffer {
  const json = asUtf8(lines);
  return escapeLineEnds(json) ?? json;
}

function finishSafely(): (lines: Buffer) => Buffer {
  const disarmer = new FormulaDisarmer();
  return (lines) => disarmer.disarm(asUtf8(lines));
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
