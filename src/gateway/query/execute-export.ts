import { returnedColumns } from '../../endpoint/endpoint.js';
import { JSON_REPRESENTATION } from '../formats/representation.js';
import type { Call } from './call.js';
import { bindExport, boundAt, readerOf } from './endpoint-query.js';
import { blameParameters } from './fetch-result.js';
import { bindExample } from './sample-values.js';
import type { Clock, ExportOutcome, ExportRequest } from './ports.js';

/**
 * Exports all rows of a call of an endpoint that has exports. Nothing is cached, and no two calls share an export.
 *
 * @throws Failure wherever not every row was sent
 */
export type ExecuteExport = (call: Call, openSink: ExportRequest['openSink']) => Promise<ExportOutcome>;

/** Runs an export in its slot. */
export type RunScheduledExport = (
  request: Omit<ExportRequest, 'waitingMs' | 'takeTurn'>,
) => Promise<ExportOutcome>;

/** Creates a function that executes exports. */
export function createExportExecutor({
  runExport,
  clock,
}: {
  readonly runExport: RunScheduledExport;
  readonly clock: Clock;
}): ExecuteExport {
  return async (call, openSink) => {
    const { endpoint, values, requestId, signal, requester, bound = bindExport(call) } = call;
    const { exports, queryLimits } = endpoint.settings;
    const now = clock();
    if (!exports) throw new TypeError(`${endpoint.name} has no exports`);
    try {
      return await runExport({
        query: boundAt(bound, now, exports.maxRows + 1),
        columns: returnedColumns(endpoint, values),
        representation: call.representation ?? JSON_REPRESENTATION,
        rowCap: exports.maxRows,
        maxSeconds: exports.maxSeconds,
        reader: readerOf(call),
        ...{ requestId, signal, requester, openSink },
        limits: queryLimits,
        exampleOf: (isAlike) => bindExample(call, isAlike, now),
      });
    } catch (error) {
      throw blameParameters(endpoint, error);
    }
  };
}
