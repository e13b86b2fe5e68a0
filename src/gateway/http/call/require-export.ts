import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Principal } from '../../auth/principal.js';
import { Failure } from '../../errors.js';
import { FORMATS } from '../../formats/formats.js';
import { limitsCost } from '../../limits/limit-state.js';
import { notCached } from '../../query/execute-call.js';
import { invalidParameters } from '../../query/validate-parameters.js';
import type { ApiParts } from '../api-parts.js';
import { subjectsOf } from './limit-requests.js';
import type { ReadCall } from './read-call.js';

/**
 * Requires that the caller may export, and that the call can be exported.
 *
 * @throws Failure EXPORT_NOT_ALLOWED, INVALID_PARAMETERS, NOT_CACHED or NOT_ACCEPTABLE
 */
export function requireExport(
  { endpoints }: Pick<ApiParts, 'endpoints'>,
  principal: Principal,
  { query, presentation, sql, demand }: ReadCall,
): void {
  const refusal = refusalOfExport(principal, query.endpoint);
  if (refusal !== undefined) throw new Failure('EXPORT_NOT_ALLOWED', refusal);
  if (sql !== undefined) {
    throw impossible('is not possible with sql: export the rows without it');
  }
  if (query.page) throw impossible('is not possible with cursor: an export has all rows');
  if (demand === 'only-cached') throw notCached();
  const { format } = presentation.representation;
  if ('unmark' in FORMATS[format])
    throw new Failure('NOT_ACCEPTABLE', `${format} has no exports. Omit export.`);
  if ('exportRows' in FORMATS[format]) return;
  if (!subjectsOf(endpoints, principal, query.endpoint).some(limitsCost)) return;
  throw new Failure(
    'NOT_ACCEPTABLE',
    `An export as ${format} does not report its cost, which this key or endpoint limits. Export as ndjson or csv.`,
  );
}

/** Why a caller can export no call of an endpoint, as a text for the caller; undefined where calls can be exported. */
export function refusalOfExport(
  { mayExport }: Principal,
  { settings, limit, pages }: Pick<Endpoint, 'settings' | 'limit' | 'pages'>,
): string | undefined {
  if (!settings.exports) return 'This endpoint has no exports. Omit export.';
  // A deployment can allow exports, but they must not exceed a limit that the endpoint declares.
  if (limit !== undefined) return `This endpoint has a limit of its own, ${limit} rows. Omit export.`;
  if (pages?.takesCursor)
    return 'The query of this endpoint finds one page at a time. Omit export, and read its pages.';
  return mayExport ? undefined : 'This key may not export. Omit export, or use a key with mayExport.';
}

const impossible = (problem: string): Failure => invalidParameters([{ param: 'export', problem }]);
