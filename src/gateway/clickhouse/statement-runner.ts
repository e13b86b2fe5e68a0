import type { IncomingMessage } from 'node:http';

import { Figures, OPERATORS } from '../../endpoint/figures.js';
import { MOST_EXPORTED } from '../../endpoint/settings-schema.js';
import { Failure } from '../errors.js';
import type { RunStatement, StatementOutcome, StatementRequest } from '../query/ports.js';
import type { Signal } from '../query/signal.js';
import { contentOfAll } from './compressed-frames.js';
import type { QueryClient } from './connect-clickhouse.js';
import { EXCEPTION_TAG_HEADER } from './exception-block.js';
import type { QueryMeter, ReportedSummary } from './query-meter.js';
import {
  distributedSettings,
  limitSettings,
  narrowLimits,
  safetySettings,
  SANDBOX_SETTINGS,
  type ClusterOptions,
  type RunnerLimits,
  type SettingLayers,
} from './query-settings.js';
import { ofVersion, SETTINGS_OF_VERSIONS } from './parts-of-version.js';
import { readyQuery } from './ready-query.js';
import { requireRows } from './require-rows.js';
import { hasEnd, StatementBody, transferStatement, WITH_END } from './statement-body.js';
import { withinTime } from './within-time.js';

/** Size up to which a result is complete before its status is sent, so that an error has its own status. */
const BUFFERED_BYTES = 1024 * 1024;

/** Limits for texts of 256 KiB that follow the queries of many endpoints. */
const LONG_TEXTS = {
  max_query_size: '20000000',
  max_ast_elements: '500000',
  max_expanded_ast_elements: '2000000',
};

/** Formats in which a row can have no bytes. */
const WITHOUT_BYTES = /^(?:Null|RawBLOB)$/;

/** Creates a runner of statements. ClickHouse sends rows while it still reads. More rows than the row cap are an error. */
export function createStatementRunner(
  client: QueryClient,
  maxLimits: RunnerLimits,
  clusterOptions: ClusterOptions,
): RunStatement {
  return (request) =>
    withinTime(
      request,
      request.timeoutMs,
      (failure) => Promise.resolve(failure),
      (remainingMs, signal, meter) => {
        const { query, queryOfVersions, output, rowCap, limits } = request;
        const settings = (isVersioned: boolean): SettingLayers => [
          safetySettings(query),
          SANDBOX_SETTINGS,
          LONG_TEXTS,
          client.overrides.yielding,
          distributedSettings(clusterOptions),
          query.settings,
          output.settings,
          isVersioned ? SETTINGS_OF_VERSIONS : undefined,
          limitSettings(narrowLimits(maxLimits, limits), remainingMs),
          { max_result_rows: String(rowCap), max_result_bytes: String(MOST_EXPORTED.bytes) },
          { result_overflow_mode: 'throw', http_response_buffer_size: String(BUFFERED_BYTES) },
          output.isFramed ? { compress: 1, enable_http_compression: 0 } : WITH_END.settings,
        ];
        let isSent = false;
        const openSink: StatementRequest['openSink'] = (head) => {
          isSent = true;
          return request.openSink(head);
        };
        return ofVersion(
          queryOfVersions,
          (versioned) =>
            run(
              client,
              meter,
              Object.assign({}, request, { query: versioned ?? query, signal, openSink }),
              settings(versioned !== undefined),
            ),
          () => !isSent,
        );
      },
    );
}

async function run(
  client: QueryClient,
  meter: QueryMeter,
  request: StatementRequest,
  settings: SettingLayers,
): Promise<StatementOutcome> {
  const { query, output, signal, takeTurn, openSink, wholeBytes } = request;
  const format = { name: output.format, settings: {} };
  const ready = await readyQuery({ bound: query, format, settings, request, values: request.values });
  const startedAt = performance.now();
  meter.start();
  const headers = Object.assign({}, ready.headers, output.isFramed ? undefined : WITH_END.headers);
  const response = await client.openQuery(Object.assign({}, ready, { headers }));
  const decode = (bytes: Buffer): Buffer => (output.isFramed ? (contentOfAll(bytes) ?? bytes) : bytes);
  const summary = await requireRows(response, meter, decode);
  let textOf: (error: unknown) => string = String;
  const tag = response.headers[EXCEPTION_TAG_HEADER]?.toString();
  const head = headOf(response);
  const body = new StatementBody({
    mayBeEmpty: summary.resultRows === 0 || WITHOUT_BYTES.test(head.format),
    ...{ tag, isFramed: output.isFramed, hasEnd: hasEnd(response), takeTurn, wholeBytes },
    finish: output.hidesRowsBeforeLimit ? withoutRowsBeforeLimit : undefined,
    textOf: (failure) => textOf(failureOf(failure, signal)),
  });
  meter.sent = () => ({ rowsRead: 0, bytesRead: body.bytes });
  const sent = { exceptionTag: body.tag, ...head };
  await transferStatement(response, body, signal, () => {
    const sink = openSink(sent);
    ({ textOf } = sink);
    return sink.streams;
  });
  const bytes = body.whole?.length ?? body.bytes;
  const whole = body.whole && { head: sent, body: body.whole };
  return { cost: costOf(summary, startedAt, bytes), bytes, queryId: ready.queryId, whole };
}

function headOf({ headers }: IncomingMessage): { contentType: string; format: string; timezone: string } {
  return {
    contentType: headers['content-type'] ?? 'application/octet-stream',
    format: headers['x-clickhouse-format']?.toString() ?? '',
    timezone: headers['x-clickhouse-timezone']?.toString() ?? 'UTC',
  };
}

/** Number of characters at the end of a result that contain the number of rows before the LIMIT. */
const TAIL = 200;
const ROWS_BEFORE_LIMIT =
  /,\s*"rows_before_(?:limit|aggregation)_at_least": ?\d+(?=\s*\}\s*$)|\s*<rows_before_limit_at_least>\d+<\/rows_before_limit_at_least>(?=\s*<\/result>\s*$)/;

function withoutRowsBeforeLimit(end: Buffer): Buffer {
  const at = Math.max(0, end.length - TAIL);
  const tail = end.subarray(at).toString('latin1');
  return Buffer.concat([end.subarray(0, at), Buffer.from(tail.replace(ROWS_BEFORE_LIMIT, ''), 'latin1')]);
}

/** Failure of a statement. If the signal aborted without a Failure, the time limit was the reason. */
function failureOf(failure: unknown, { aborted, reason }: Signal): unknown {
  if (!aborted || failure !== reason || failure instanceof Failure) return failure;
  return new Failure('QUERY_TIMEOUT', 'The statement was stopped at its time limit.');
}

/** Cost of a statement. The head of a long response counts only what was read before the first bytes, so sent bytes count as read. */
function costOf({ cost }: ReportedSummary, startedAt: number, bytes: number): StatementOutcome['cost'] {
  const { rowsRead, bytesRead, clickhouseMs } = cost.readBy(OPERATORS);
  const isWhole = bytes < BUFFERED_BYTES;
  return new Figures({
    rowsRead,
    bytesRead: isWhole ? bytesRead : Math.max(bytesRead, bytes),
    clickhouseMs: isWhole ? clickhouseMs : performance.now() - startedAt,
  });
}
