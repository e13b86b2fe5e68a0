import type { BoundQuery } from '../../endpoint/bind.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { itemKind } from '../../endpoint/parameters/kinds.js';
import type { ItemKind, Parameter } from '../../endpoint/parameters/parameter.js';
import type { Value, Values } from '../../endpoint/values.js';
import { bindCall, boundAt, capOf, type EndpointQuery } from './endpoint-query.js';
import { pinnedParameters } from './row-scope.js';
import { readParameters } from './validate-parameters.js';

/** One way to call an endpoint, for a check. */
export interface Combination {
  /** Omittable parameters that have a value. */
  readonly names: readonly string[];
  /** Choice of a parameter on which types can depend, such as the unit of `date_trunc`. */
  readonly choice?: readonly [parameter: string, value: string];
}

/** A valid text of each kind. */
export const SAMPLES: Readonly<Record<ItemKind, string>> = {
  string: 'a',
  integer: '1',
  number: '1',
  boolean: 'true',
  date: '2026-05-17',
  timestamp: '2026-05-17T00:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
  decimal: '1',
  enum: 'a',
  timezone: 'UTC',
  'regular-expression': 'a',
};

/** Values for the analysis of a query: for required parameters, parameters with a default, and the named ones. */
export function sampleValues(endpoint: Endpoint, { names, choice }: Combination, now: Date): Values {
  const sampled = [...endpoint.parameters].filter(([name, { required }]) => required || names.includes(name));
  const omitted = readParameters(endpoint, new Map(), { now }).values;
  return new Map<string, Value>([
    ...omitted,
    ...sampled.map(([name]) => [name, sampleValue(endpoint, name, now)] as const),
    ...(choice ? [choice] : []),
  ]);
}

/** Sample text for each required secret, because no file should contain a real one. */
export function secretSamples({ parameters }: Endpoint): Readonly<Record<string, string>> {
  const secrets = [...parameters].filter(([, { required, secret }]) => required && secret);
  return Object.fromEntries(secrets.map(([name, { kind }]) => [name, SAMPLES[itemKind(kind)]]));
}

/** First valid value of the example, the default, the choices and the bounds. Otherwise the sample of the kind. */
function sampleValue(endpoint: Endpoint, name: string, now: Date): Value {
  const parameter = endpoint.parameters.get(name);
  if (!parameter) return null;
  const sample = SAMPLES[itemKind(parameter.kind)];
  for (const text of [endpoint.example[name], ...textsOf(parameter), sample]) {
    if (text === undefined) continue;
    const value = readParameters(endpoint, new Map([[name, { text, times: 1 }]]), { now }).values.get(name);
    if (value !== undefined && value !== null) return value;
  }
  // An analysis does not need a valid value, only one that ClickHouse can parse.
  const text = sample.replace('T', ' ').replace('Z', '');
  return parameter.isList ? [text] : text;
}

function textsOf({ default: fallback, choices, jsonSchema }: Parameter): readonly (string | undefined)[] {
  const { minimum, maximum } = jsonSchema;
  return [fallback, choices?.[0], minimum?.toString(), maximum?.toString()];
}

/** Names of the parameters that have a value. */
const given = (values: Values): readonly string[] =>
  [...values].flatMap(([name, value]) => (value === null ? [] : [name]));

/**
 * Query of a call with the values of the example instead of the caller's. Pinned parameters keep their values, because a failure through
 * them is not the caller's fault.
 *
 * @param isAlike whether the same parameters have a value as in the call, if necessary a made-up one.
 */
export function bindExample(query: EndpointQuery, isAlike: boolean, now: Date): BoundQuery {
  const { endpoint, values, scope } = query;
  const names = isAlike ? given(values) : Object.keys(endpoint.example);
  const sampled = new Map(sampleValues(endpoint, { names }, now));
  for (const name of pinnedParameters(scope)) sampled.set(name, values.get(name) ?? null);
  return boundAt(bindCall({ endpoint, values: sampled, scope }), now, capOf(query) + 1);
}
