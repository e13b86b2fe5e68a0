import type { Values, Value } from '../../endpoint/values.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { itemKind } from '../../endpoint/parameters/kinds.js';
import type { ItemKind, Parameter } from '../../endpoint/parameters/parameter.js';
import { requiredBy } from '../../endpoint/sql-file/select-parameters.js';
import type { Piece } from '../../endpoint/sql-file/select/select-text.js';
import { readParameters } from '../query/validate-parameters.js';

/** One way to call an endpoint that is checked. */
export interface Combination {
  /** The omittable parameters that have a value. */
  readonly names: readonly string[];
  /** A choice that is checked because types can depend on it, such as the unit of `date_trunc`. */
  readonly choice?: readonly [parameter: string, value: string];
}

/** Combinations that are checked of one endpoint; what exceeds them is left out. */
const MAX_COMBINATIONS = 200;

/**
 * The sets of omittable parameters that have a value in some combination of optional parts: no part, each alone with those
 * around it, all parts, then each choice of each parameter that has some, then pairs of parts. Sets in which the same parts
 * apply can differ in other parameters.
 */
export function combinationsOf(
  pieces: readonly Piece[],
  parameters: Endpoint['parameters'],
): readonly Combination[] {
  const omittable = [...parameters].filter(([, { required, default: fallback }]) => {
    return !required && fallback === undefined;
  });
  const names = omittable.map(([name]) => name);
  const parts = requiredByParts(pieces).map((required) => names.filter((name) => required.includes(name)));
  const combinations = new Map<string, Combination>();
  const add = (...sets: readonly (readonly string[])[]): void => {
    const together = names.filter((name) => sets.some((set) => set.includes(name)));
    if (combinations.size < MAX_COMBINATIONS) combinations.set(together.join(), { names: together });
  };
  add([]);
  for (const part of parts) add(part);
  add(names);
  for (const choice of choicesOf(parameters)) {
    if (combinations.size < MAX_COMBINATIONS) combinations.set(JSON.stringify(choice), { names, choice });
  }
  for (const [index, part] of parts.entries()) for (const other of parts.slice(0, index)) add(other, part);
  return [...combinations.values()];
}

/** How messages name the calls with a problem. */
export function combinationText([first, ...others]: readonly Combination[]): string {
  const { names, choice } = first ?? { names: [] };
  const of = names.length === 0 ? 'without optional parameters' : `with a value for ${names.join(', ')}`;
  const which = choice ? `where ${choice[0]} is ${choice[1]}` : of;
  if (others.length === 0) return which;
  return `${which} (and in ${others.length} other ${others.length === 1 ? 'combination' : 'combinations'})`;
}

/** Whether a call applies the parts of a combination, and perhaps others. */
export function isOfCombination(values: Values, { names, choice }: Combination): boolean {
  const isChosen = choice === undefined || values.get(choice[0]) === choice[1];
  return isChosen && names.every((name) => (values.get(name) ?? null) !== null);
}

function choicesOf(parameters: Endpoint['parameters']): readonly (readonly [string, string])[] {
  return [...parameters].flatMap(([name, { kind, choices = [] }]) =>
    kind === 'enum' ? choices.map((choice) => [name, choice] as const) : [],
  );
}

/** For each part the parameters that must have a value, those of the parts around it included. */
function requiredByParts(
  pieces: readonly Piece[],
  around: readonly string[] = [],
): readonly (readonly string[])[] {
  return pieces.flatMap((piece) => {
    if (piece.kind !== 'optional') return [];
    const required = [...around, ...requiredBy(piece).map(({ name }) => name)];
    return [required, ...requiredByParts(piece.pieces, required)];
  });
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

/** Values with which a query can be analysed: of the required parameters, of those with a default, and of the named ones. */
export function sampleValues(endpoint: Endpoint, { names, choice }: Combination, now: Date): Values {
  const sampled = [...endpoint.parameters].filter(([name, { required }]) => required || names.includes(name));
  const omitted = readParameters(endpoint, new Map(), { now }).values;
  return new Map<string, Value>([
    ...omitted,
    ...sampled.map(([name]) => [name, sampleValue(endpoint, name, now)] as const),
    ...(choice ? [choice] : []),
  ]);
}

/** A text for each required secret, which no file should contain. */
export function secretSamples({ parameters }: Endpoint): Readonly<Record<string, string>> {
  const secrets = [...parameters].filter(([, { required, secret }]) => required && secret);
  return Object.fromEntries(secrets.map(([name, { kind }]) => [name, SAMPLES[itemKind(kind)]]));
}

/** The first valid value of the example, the default, the choices and the bounds; else any of the kind. */
function sampleValue(endpoint: Endpoint, name: string, now: Date): Value {
  const parameter = endpoint.parameters.get(name);
  if (!parameter) return null;
  const sample = SAMPLES[itemKind(parameter.kind)];
  for (const text of [endpoint.example[name], ...textsOf(parameter), sample]) {
    if (text === undefined) continue;
    const value = readParameters(endpoint, new Map([[name, { text, times: 1 }]]), { now }).values.get(name);
    if (value !== undefined && value !== null) return value;
  }
  // An analysis does not need a valid value, only one that ClickHouse reads.
  const text = sample.replace('T', ' ').replace('Z', '');
  return parameter.isList ? [text] : text;
}

function textsOf({ default: fallback, choices, jsonSchema }: Parameter): readonly (string | undefined)[] {
  const { minimum, maximum } = jsonSchema;
  return [fallback, choices?.[0], minimum?.toString(), maximum?.toString()];
}
