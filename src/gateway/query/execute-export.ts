import { returnedColumns } from '../../endpoint/endpoint.js';
import { JSON_REPRESENTATION } from '../formats/representation.js';
import type { Call } from './call.js';
import { bindExport, boundAt, readerOf } from './endpoint-query.js';
import { blameParameters, type FetchParts } from './fetch-result.js';
import { bindExample } from './sample-values.js';
import type { ExportOutcome, ExportRequest } from './ports.js';

/** Runs an export in its slot. */
export type RunScheduledExport = (
  request: Omit<ExportRequest, 'waitingMs' | 'takeTurn'>,
) => Promise<ExportOutcome>;

/** Dependencies of an export. */
export interface ExportParts extends Pick<FetchParts, 'requireRunnable' | 'clock'> {
  readonly runExport: RunScheduledExport;
}

/**
 * Exports all rows of a call. The result is not cached, and calls do not share an export.
 *
 * @throws Failure wherever not every row was sent
 */
export async function executeExport(
  { runExport, requireRunnable, clock }: ExportParts,
  call: Call,
  openSink: ExportRequest['openSink'],
): Promise<ExportOutcome> {
  const { endpoint, values, scope, requestId, signal, requester, bound = bindExport(call) } = call;
  requireRunnable?.(endpoint, values, scope);
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
}
