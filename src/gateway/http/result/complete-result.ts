import { rowCap } from '../../../endpoint/endpoint.js';
import { refusalOfExport } from '../call/require-export.js';
import type { RanCall } from '../call/run-call.js';
import { Failure } from '../../errors.js';
import { FORMATS } from '../../formats/formats.js';
import type { EndpointResult } from '../../query/endpoint-result.js';

/** Whether a result has all rows: neither the row cap nor an unreachable shard left some out. */
export function isComplete({ truncated, partial }: EndpointResult): boolean {
  return !truncated && !partial;
}

/** @throws Failure RESULT_TRUNCATED, else SHARD_UNREACHABLE: where both apply, a retry would still be truncated */
export function requireComplete(ran: RanCall): void {
  const { truncated, partial } = ran.outcome.result;
  if (truncated) throw cut(ran);
  if (partial) {
    throw new Failure(
      'SHARD_UNREACHABLE',
      'A shard of ClickHouse is unreachable, so that rows of the result are missing. Try again later, or without complete=1.',
      { retryAfterSeconds: 1 },
    );
  }
}

function cut(ran: RanCall): Failure {
  const { query, presentation } = ran.call;
  const { endpoint, sandbox } = query;
  const { lastRow, partial } = ran.outcome.result;
  const cap = rowCap(endpoint);
  const limit = endpoint.limit === cap ? 'its own limit' : 'its row cap';
  const canExport =
    !sandbox &&
    !('unmark' in FORMATS[presentation.representation.format]) &&
    refusalOfExport(ran.principal, endpoint) === undefined;
  return new Failure(
    'RESULT_TRUNCATED',
    `The result of ${endpoint.name} has more rows than ${limit}, ${cap}. ${narrowing(ran)}; without complete=1 the response has the first ${cap} rows${lastRow && !partial ? ', and X-Next-Cursor names the next page' : ''}${canExport ? '; with export=1 in its place it has all rows' : ''}.`,
  );
}

/** Advice on how to get fewer rows. Required parameters come last, because a change of one makes another query. */
export function narrowing({ call: { query }, principal: { pinned, via } }: RanCall): string {
  if (via === 'link') return 'Ask for a link to fewer rows';
  if (query.sandbox) return 'Select fewer rows in sql';
  const free = [...query.endpoint.parameters].filter(([name]) => pinned?.has(name) !== true);
  const names = [true, false].flatMap((isOptional) =>
    free.filter(([, { required }]) => !required === isOptional).map(([name]) => name),
  );
  return names.length > 0 ? `Narrow the request with ${names.join(', ')}` : 'Request a larger row cap';
}
