import { applyPinned } from '../auth/pinned-parameters.js';
import type { Principal } from '../auth/principal.js';
import type { Values } from '../endpoint/bind.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { Failure, type Problem } from '../errors.js';
import type { Times } from '../formats/format.js';
import type { RawParameters } from '../query/raw-parameters.js';
import { problemOfSqlText } from '../query/sandboxed-select.js';
import { invalidParameters, problemOfEncoding, readParameters } from '../query/validate-parameters.js';
import {
  choosePresentation,
  readPresentation,
  type HeaderPreferences,
  type Presentation,
} from './choose-representation.js';

/** A call as its query string and headers describe it. */
export interface ReadCall {
  readonly values: Values;
  readonly presentation: Presentation;
  /** The caller's SQL before the sandbox check; undefined where the endpoint does not accept SQL. */
  readonly sql: string | undefined;
}

export interface ParsedRequest {
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  readonly sent: RawParameters;
  readonly preferences: HeaderPreferences;
  /** The gateway's default format of times. */
  readonly times: Times;
}

/**
 * Reads a call of an endpoint. Reports all problems that can be found without ClickHouse together.
 *
 * @throws Failure FORBIDDEN, INVALID_PARAMETERS with every problem, or NOT_ACCEPTABLE where the parameters are valid
 */
export function readCall({ endpoint, principal, sent, preferences, times }: ParsedRequest): ReadCall {
  const applied = applyPinned(principal, endpoint.parameters, sent);
  if ('conflict' in applied) throw new Failure('FORBIDDEN', applied.conflict.detail);
  const { values, problems: ofParameters } = readParameters(endpoint, applied.parameters);
  const sql = endpoint.settings.sandboxing === 'disabled' ? undefined : sent.get('sql');
  const ofSql = sql && (problemOfEncoding(sql) ?? problemOfSqlText(sql.text ?? ''));
  const named = readPresentation(endpoint, sent);
  const problems: readonly Problem[] = [
    ...ofParameters,
    ...named.problems,
    ...(ofSql === undefined ? [] : [{ param: 'sql', problem: ofSql }]),
  ];
  if (problems.length > 0) throw invalidParameters(problems);
  return { values, presentation: choosePresentation(named, preferences, times), sql: sql?.text };
}
