import { applyPinned } from '../auth/pinned-parameters.js';
import type { Principal } from '../auth/principal.js';
import type { Values } from '../endpoint/bind.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { Failure, type Problem } from '../errors.js';
import type { Times } from '../formats/format.js';
import type { RawParameters } from '../query/raw-parameters.js';
import { problemOfSqlText } from '../query/sandboxed-select.js';
import { invalidParameters, problemOfForm, readParameters } from '../query/validate-parameters.js';
import {
  choosePresentation,
  readPresentation,
  type HeaderPreferences,
  type Presentation,
} from './choose-representation.js';

/** What a call asks, as far as its query string and headers say. */
export interface ReadCall {
  readonly values: Values;
  readonly presentation: Presentation;
  /** The caller's own SQL, not yet judged, where the endpoint takes it. */
  readonly sql: string | undefined;
}

export interface ParsedRequest {
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  readonly sent: RawParameters;
  readonly preferences: HeaderPreferences;
  /** How the gateway writes times where nobody says otherwise. */
  readonly times: Times;
}

/**
 * Reads a call of an endpoint. All that can be told to be wrong without asking ClickHouse is told together.
 *
 * @throws Failure FORBIDDEN, INVALID_PARAMETERS listing every problem, or, where there is none, NOT_ACCEPTABLE
 */
export function readCall({ endpoint, principal, sent, preferences, times }: ParsedRequest): ReadCall {
  const applied = applyPinned(principal, endpoint.parameters, sent);
  if ('conflict' in applied) throw new Failure('FORBIDDEN', applied.conflict.detail);
  const { values, problems: ofParameters } = readParameters(endpoint, applied.parameters);
  const sql = endpoint.settings.sandboxing === 'disabled' ? undefined : sent.get('sql');
  const ofSql = sql && (problemOfForm(sql) ?? problemOfSqlText(sql.text ?? ''));
  const named = readPresentation(endpoint, sent);
  const problems: readonly Problem[] = [
    ...ofParameters,
    ...named.problems,
    ...(ofSql === undefined ? [] : [{ param: 'sql', problem: ofSql }]),
  ];
  if (problems.length > 0) throw invalidParameters(problems);
  return { values, presentation: choosePresentation(named, preferences, times), sql: sql?.text };
}
