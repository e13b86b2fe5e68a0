import Joi from 'joi';

import { closestName } from './closest-name.js';
import type { DefinitionProblem } from './definition-error.js';
import { DEFINITION, knownKeysAt } from './definition-schema.js';
import { describeValue } from './describe-value.js';
import type { Parameter } from './parameters/parameter.js';
import { NOW, ROW_LIMIT } from './reserved.js';

/**
 * Every mistake in a definition except those in its query, which only `build` can show.
 */
export function problemsOfDefinition(definition: unknown): readonly DefinitionProblem[] {
  const items = DEFINITION.validate(definition).error?.details ?? [];
  const suggested = new Set(items.map(suggestionFor));
  // The misspelt key is the mistake; its right spelling is not missing too.
  const reported = items.filter(
    ({ type, path }) => type !== 'any.required' || !suggested.has(path.join('.')),
  );
  return [...reported.map(problemOf), ...problemsOfNames(definition)];
}

const UNKNOWN = 'object.unknown';

function problemOf(item: Joi.ValidationErrorItem): DefinitionProblem {
  const { type, message, context } = item;
  const path = item.path.map(String);
  if (path.length === 0) {
    const found = describeValue(context?.value);
    const problem = `defineEndpoint must receive an object with ${knownKeysAt([]).join(', ')}, not ${found}`;
    return { path, problem };
  }
  const key = path.join('.');
  if (type === UNKNOWN) {
    const suggestion = suggestionFor(item);
    const known = knownKeysAt(path.slice(0, -1));
    const advice =
      suggestion === undefined ? `the keys are ${known.join(', ')}` : `did you mean \`${suggestion}\`?`;
    return { path, problem: `unknown key \`${key}\`; ${advice}` };
  }
  if (type === 'any.required') return { path, problem: `${key} is missing; it ${message}` };
  return { path, problem: `${key} ${withFound(context?.value, message)}` };
}

/** The key that an unknown key probably means, with its path. */
function suggestionFor({ type, path }: Joi.ValidationErrorItem): string | undefined {
  if (type !== UNKNOWN) return undefined;
  const above = path.slice(0, -1).map(String);
  const closest = closestName(String(path.at(-1)), knownKeysAt(above));
  return closest === undefined ? undefined : [...above, closest].join('.');
}

/** Says what a value is and what is expected of it. */
function withFound(value: unknown, expected: string): string {
  const isPlain = value === null || (typeof value !== 'object' && typeof value !== 'function');
  return isPlain ? `${describeValue(value)} ${expected}` : `is ${describeValue(value)}; it ${expected}`;
}

/** The mistakes that Joi does not find: in the parameters, and in names that refer to them. */
function problemsOfNames(definition: unknown): readonly DefinitionProblem[] {
  const { parameters, example, warm } = asRecord(definition);
  if (!isRecord(parameters)) return [];
  const sets: readonly (readonly [readonly string[], unknown])[] = [
    [['example'], example],
    ...(Array.isArray(warm) ? warm.map((set, index) => [['warm', String(index)], set] as const) : []),
  ];
  return [
    ...Object.entries(parameters).flatMap(([name, value]) =>
      problemsOfParameter(name, value).map((problem) => ({ path: ['parameters', name], problem })),
    ),
    ...sets.flatMap(([path, set]) =>
      Object.keys(asRecord(set))
        .filter((name) => !Object.hasOwn(parameters, name))
        .map((name) => ({ path: [...path, name], problem: undeclared(path, name, Object.keys(parameters)) })),
    ),
  ];
}

/** Names that the gateway itself binds or reads. */
const RESERVED = new Set([
  NOW.name,
  ROW_LIMIT,
  'sql',
  'api_key',
  'link_key',
  'link_expires',
  'link_signature',
]);

function problemsOfParameter(name: string, value: unknown): readonly string[] {
  const problems: string[] = [];
  if (RESERVED.has(name)) problems.push(`parameter "${name}" has a name that the gateway reserves`);
  else if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    problems.push(`parameter "${name}" must be made of lower-case letters, digits and underscores`);
  }
  const { schema, description } = asRecord(value) as Partial<Parameter>;
  if (!Joi.isSchema(schema)) {
    const expected = "must be a parameter, such as text({ description: 'A city.' })";
    problems.push(`parameters.${name} ${withFound(value, expected)}`);
  } else if (typeof description !== 'string' || description === '') {
    problems.push(`parameters.${name} must have a description, such as { description: 'A city.' }`);
  }
  return problems;
}

function undeclared(path: readonly string[], name: string, declared: readonly string[]): string {
  const closest = closestName(name, declared);
  const advice = closest === undefined ? '' : `; did you mean "${closest}"?`;
  return `${path.join('.')} names the undeclared parameter "${name}"${advice}`;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asRecord = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});
