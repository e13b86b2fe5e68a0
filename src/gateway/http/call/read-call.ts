import { applyPinned } from '../../auth/pinned-parameters.js';
import type { Principal } from '../../auth/principal.js';
import { returnedColumns, type Endpoint } from '../../../endpoint/endpoint.js';
import { Failure, type Problem } from '../../errors.js';
import type { ResultColumn, Times } from '../../formats/format.js';
import { requireForms } from '../../formats/require-forms.js';
import { problemOfSqlText } from '../../query/sandboxed-select.js';
import {
  invalidParameters,
  problemOfEncoding,
  readParameters,
  type ReadingContext,
  type ResolvedParameters,
} from '../../query/validate-parameters.js';
import {
  choosePresentation,
  readPresentation,
  type HeaderPreferences,
  type Presentation,
} from '../result/choose-representation.js';
import type { SentCall } from './sent-call.js';
import { ignoredParameters, problemsOfUndeclared } from './undeclared-parameters.js';

/** A call as its parameters and headers describe it. */
export interface ReadCall extends ResolvedParameters {
  readonly presentation: Presentation;
  /** The caller's SQL before the sandbox check; undefined where the endpoint does not accept SQL. */
  readonly sql: string | undefined;
  /** The value of `X-Ignored-Parameters`; undefined where no name is ignored. */
  readonly ignored: string | undefined;
}

export interface ParsedRequest extends ReadingContext {
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  readonly sent: SentCall;
  readonly preferences: HeaderPreferences;
  /** The gateway's default format of times. */
  readonly times: Times;
}

/**
 * Reads a call of an endpoint. Reports all problems that can be found without ClickHouse together.
 *
 * @throws Failure FORBIDDEN, INVALID_PARAMETERS with every problem, or NOT_ACCEPTABLE where the parameters are valid
 */
export function readCall({
  endpoint,
  principal,
  sent,
  preferences,
  times,
  ...context
}: ParsedRequest): ReadCall {
  const applied = applyPinned(principal, endpoint.parameters, sent.parameters);
  if ('conflict' in applied) throw new Failure('FORBIDDEN', applied.conflict.detail);
  const { problems: ofParameters, ...resolved } = readParameters(endpoint, applied.parameters, context);
  const sql = endpoint.settings.sandboxing === 'disabled' ? undefined : sent.parameters.get('sql');
  const ofSql = sql && (problemOfEncoding(sql) ?? problemOfSqlText(sql.text ?? ''));
  const named = readPresentation(sent.query);
  // A parameter without a text is no omitted one.
  const isStrict = preferences.isStrict || endpoint.settings.unknownParameters === 'reject';
  const unread = new Set(sent.problems.map(({ param }) => param));
  const problems: readonly Problem[] = [
    ...sent.problems,
    ...ofParameters.filter(({ param }) => !unread.has(param)),
    ...(isStrict ? problemsOfUndeclared(sent.undeclared, endpoint) : []),
    ...named.problems,
    ...(ofSql === undefined ? [] : [{ param: 'sql', problem: ofSql }]),
  ];
  if (problems.length > 0) throw invalidParameters(problems);
  const presentation = choosePresentation(named, preferences, times);
  if (!sql) requireForms(typedColumns(endpoint, resolved), presentation.representation.format);
  return { ...resolved, presentation, sql: sql?.text, ignored: ignoredParameters(sent.undeclared) };
}

function typedColumns(endpoint: Endpoint, { values }: ResolvedParameters): readonly ResultColumn[] {
  return [...returnedColumns(endpoint, values)].map(([name, { type }]) => ({ name, type }));
}
