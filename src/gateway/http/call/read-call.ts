import { applyPinned, scopeOf } from '../../auth/pinned-parameters.js';
import type { Principal } from '../../auth/principal.js';
import { returnedColumns, type Endpoint } from '../../../endpoint/endpoint.js';
import type { Seal } from '../../../endpoint/parameters/secret-value.js';
import { Failure, type Problem } from '../../errors.js';
import type { Times } from '../../formats/format.js';
import { writtenColumns } from '../../formats/written-columns.js';
import type { EndpointQuery } from '../../query/endpoint-query.js';
import type { Clock } from '../../query/ports.js';
import { problemOfSqlText } from '../../query/sandboxed-select.js';
import { invalidParameters, problemOfEncoding, readParameters } from '../../query/validate-parameters.js';
import { choosePresentation, readPresentation, type Presentation } from '../result/choose-representation.js';
import type { SentCall } from './sent-call.js';
import { ignoredParameters, problemsOfUndeclared } from './undeclared-parameters.js';

/** A valid call. */
export interface ReadCall {
  /** Without the caller's SQL, until that is checked. */
  readonly query: EndpointQuery;
  readonly presentation: Presentation;
  /** The caller's SQL before the sandbox check; undefined where the endpoint does not accept SQL. */
  readonly sql: string | undefined;
  /** The value of `X-Ignored-Parameters`; undefined where no name is ignored. */
  readonly ignored: string | undefined;
}

/**
 * Reads a call of an endpoint: applies the pinned parameters of the caller, validates all, and chooses the representation.
 * Reports all problems that can be found without ClickHouse together.
 *
 * @throws Failure FORBIDDEN, INVALID_PARAMETERS with every problem, or NOT_ACCEPTABLE where the parameters are valid
 */
export function readCall(
  {
    clock,
    seal,
    times = 'iso',
  }: { readonly clock: Clock; readonly seal?: Seal | undefined; readonly times?: Times },
  principal: Principal,
  endpoint: Endpoint,
  sent: SentCall,
): ReadCall {
  const applied = applyPinned(principal, endpoint.parameters, sent.parameters);
  if ('conflict' in applied) throw new Failure('FORBIDDEN', applied.conflict.detail);
  const context = { now: clock(), seal };
  const { problems: ofParameters, values, changesAt } = readParameters(endpoint, applied.parameters, context);
  const sql = endpoint.settings.sandboxing === 'disabled' ? undefined : sent.parameters.get('sql');
  const ofSql = sql && (problemOfEncoding(sql) ?? problemOfSqlText(sql.text ?? ''));
  const named = readPresentation(sent.query);
  const problems: readonly Problem[] = [
    ...problemsOfNames(sent, ofParameters, endpoint),
    ...named.problems,
    ...(ofSql === undefined ? [] : [{ param: 'sql', problem: ofSql }]),
  ];
  if (problems.length > 0) throw invalidParameters(problems);
  const { timestamps } = sent.preferences;
  const presentation = choosePresentation(named, { accept: sent.accept, timestamps }, times);
  const { representation } = presentation;
  // Before the query: not every result can be written in every format.
  if (!sql) writtenColumns(returnedColumns(endpoint, values), representation);
  const query = { endpoint, values, scope: scopeOf(principal), representation };
  return {
    query: changesAt === undefined ? query : { ...query, changesAt },
    presentation,
    sql: sql?.text,
    ignored: ignoredParameters(sent.undeclared),
  };
}

/** The problems of what was sent as parameters, and of undeclared names where these are errors. */
function problemsOfNames(
  sent: SentCall,
  ofParameters: readonly Problem[],
  endpoint: Endpoint,
): readonly Problem[] {
  const isStrict = sent.preferences.isStrict || endpoint.settings.unknownParameters === 'reject';
  // A parameter without a text is no omitted one.
  const unread = new Set(sent.problems.map(({ param }) => param));
  return [
    ...sent.problems,
    ...ofParameters.filter(({ param }) => !unread.has(param)),
    ...(isStrict ? problemsOfUndeclared(sent.undeclared, endpoint) : []),
  ];
}
