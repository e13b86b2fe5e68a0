import { applyPinned, scopeOf } from '../../auth/pinned-parameters.js';
import type { Cursors, OpenedCursor } from '../../auth/cursors.js';
import type { Principal } from '../../auth/principal.js';
import { returnedColumns, type Endpoint } from '../../../endpoint/endpoint.js';
import type { Seal } from '../../../endpoint/parameters/secret-value.js';
import { Failure, type ParamProblem } from '../../errors.js';
import type { Times } from '../../formats/format.js';
import { writtenColumns } from '../../formats/written-columns.js';
import type { CacheDemand } from '../../query/call.js';
import type { EndpointQuery } from '../../query/endpoint-query.js';
import type { Clock } from '../../query/ports.js';
import { problemOfSqlText } from '../../query/sandboxed-select.js';
import type { RawParameter, RawParameters } from '../../query/raw-parameters.js';
import {
  invalidParameters,
  problemOfEncoding,
  readParameters,
  type ReadParameters,
} from '../../query/validate-parameters.js';
import { choosePresentation, readPresentation, type Presentation } from '../result/choose-representation.js';
import { openCursor, requireSameCall } from './page-cursor.js';
import type { SentCall } from './sent-call.js';
import { ignoredParameters, problemsOfUndeclared } from './undeclared-parameters.js';

/** A valid call. */
export interface ReadCall {
  /** The query; the caller's SQL is added after its check. */
  readonly query: EndpointQuery;
  /** The parameters of the endpoint as the caller sent them, without those that its key pins. */
  readonly sent: RawParameters;
  readonly presentation: Presentation;
  /** When the parameters were read, from which relative times count; for a later page, those of the first. Milliseconds since 1970. */
  readonly readAt: number;
  /** The caller's SQL before the sandbox check; undefined where the endpoint does not accept SQL. */
  readonly sql: string | undefined;
  /** What the caller requires of the cache, as far as its key allows. */
  readonly demand: CacheDemand;
  /** The value of `X-Ignored-Parameters`; undefined where no name is ignored. */
  readonly ignored: string | undefined;
}

/** The parts of a gateway that read calls. */
export interface ReadingParts {
  readonly clock: Clock;
  /** Replaces the values of secret parameters by an HMAC. */
  readonly seal?: Seal | undefined;
  readonly cursors: Cursors;
  /** Format of times where the caller does not choose one; ISO 8601 by default. */
  readonly times?: Times;
}

/**
 * Reads a call of an endpoint: applies the caller's pinned parameters, validates all, and chooses the representation. Reports
 * together all problems that can be found without ClickHouse.
 *
 * @throws Failure FORBIDDEN, INVALID_CURSOR, INVALID_PARAMETERS with every problem, or NOT_ACCEPTABLE where the parameters are valid
 */
export function readCall(
  { clock, seal, cursors, times = 'iso' }: ReadingParts,
  principal: Principal,
  endpoint: Endpoint,
  sent: SentCall,
): ReadCall {
  const applied = applyPinned(principal, endpoint.parameters, sent.parameters);
  if ('conflict' in applied) throw new Failure('FORBIDDEN', applied.conflict.detail);
  const nowMs = clock().getTime();
  const opened = openCursor(cursors, sent.query, { endpoint, principal, nowMs });
  const readAt = opened?.readAt ?? nowMs;
  const read = readParameters(endpoint, applied.parameters, { now: new Date(readAt), seal });
  const sql = endpoint.settings.sandboxing === 'disabled' ? undefined : sent.parameters.get('sql');
  const named = readPresentation(sent.query, endpoint, sent.preferences);
  const problems = [
    ...problemsOfNames(sent, read.problems, endpoint),
    ...named.problems,
    ...problemsOfSql(sql),
  ];
  if (problems.length > 0) throw invalidParameters(problems);
  const { timestamps } = sent.preferences;
  const { numbers } = endpoint.settings;
  const presentation = choosePresentation(named, { accept: sent.accept, timestamps }, { times, numbers });
  const { representation } = presentation;
  // Checked before the query runs, because not every format can hold every result.
  if (!sql) writtenColumns(returnedColumns(endpoint, read.values), representation);
  const query = {
    endpoint,
    values: read.values,
    scope: scopeOf(principal),
    representation,
    ...timesOf(opened, read),
    ...rowsOf(sent, endpoint, sql),
  };
  if (opened) requireSameCall(opened, query, sql?.text);
  return {
    query,
    readAt,
    sent: sent.parameters,
    presentation,
    sql: sql?.text,
    demand: principal.mayBypassCache ? sent.demand : 'any',
    ignored: ignoredParameters(sent.undeclared),
  };
}

/** The page, or when the query changes. Relative times change the parameters of a first page; a later page keeps those of the first. */
function timesOf(
  opened: OpenedCursor | undefined,
  { changesAt }: ReadParameters,
): Pick<EndpointQuery, 'page' | 'changesAt'> {
  if (opened) return { page: { last: opened.last, now: opened.now } };
  return changesAt === undefined ? {} : { changesAt };
}

function rowsOf({ pageRows }: SentCall, { pages }: Endpoint, sql: unknown): Pick<EndpointQuery, 'pageRows'> {
  return pages && !sql && pageRows !== undefined ? { pageRows } : {};
}

function problemsOfSql(sql: RawParameter | undefined): readonly ParamProblem[] {
  const found = sql && (problemOfEncoding(sql) ?? problemOfSqlText(sql.text ?? ''));
  return found === undefined ? [] : [{ param: 'sql', problem: found }];
}

/** The problems of the sent names and values, and of undeclared names where these are errors. */
function problemsOfNames(
  sent: SentCall,
  ofParameters: readonly ParamProblem[],
  endpoint: Endpoint,
): readonly ParamProblem[] {
  const isStrict = sent.preferences.isStrict || endpoint.settings.unknownParameters === 'reject';
  // A parameter that was sent, but has no text, must not count as omitted.
  const unread = new Set(sent.problems.map(({ param }) => param));
  return [
    ...sent.problems,
    ...ofParameters.filter(({ param }) => !unread.has(param)),
    ...(isStrict ? problemsOfUndeclared(sent.undeclared, endpoint) : []),
  ];
}
