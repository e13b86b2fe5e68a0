import Joi from 'joi';

import { closestName } from './closest-name.js';
import type { DefinitionProblem } from './definition-error.js';
import { describeValue } from './describe-value.js';
import { problem } from './problems.js';

/** A schema whose errors all say what is expected. @param expected completes "must be"; must not contain braces, which Joi replaces */
export const must = (expected: string, schema: Joi.Schema): Joi.Schema =>
  schema.messages({ '*': `{{#label}} must be ${expected}` });

/** A rule for `custom`: every other value is invalid. */
export const validIf =
  <T>(isValid: (value: T) => boolean): Joi.CustomValidator<T> =>
  (value, { error }) =>
    isValid(value) ? value : error('any.invalid');

/**
 * All problems of an object of unknown type. The schema must be `required()` already, because Joi would have to copy it.
 *
 * @param what name of the object in the problem of a value that is not an object.
 */
export function problemsBySchema(
  schema: Joi.ObjectSchema,
  value: unknown,
  what: string,
): readonly DefinitionProblem[] {
  const preferences = { abortEarly: false, convert: false, errors: { label: false } } as const;
  const items = schema.validate(value, preferences).error?.details ?? [];
  if (items.length === 0) return [];
  const whole = describe(schema);
  const suggestions = new Set(items.map((item) => suggestionFor(item, whole)));
  // The misspelt key is the mistake; its right spelling is not missing too.
  const isReported = ({ type, path }: Joi.ValidationErrorItem): boolean =>
    type !== 'any.required' || !suggestions.has(path.join('.'));
  return items.filter(isReported).map((item) => problemOf(item, whole, what));
}

/** A description takes Joi longer than a check. */
const descriptions = new WeakMap<Joi.Schema, SchemaDescription>();

function describe(schema: Joi.Schema): SchemaDescription {
  const description = descriptions.get(schema) ?? (schema.describe() as SchemaDescription);
  descriptions.set(schema, description);
  return description;
}

/** The part of the result of Joi's `describe` that contains keys. */
interface SchemaDescription {
  readonly keys?: Readonly<Record<string, SchemaDescription>>;
  /** Schemas of objects whose keys are names that the author chooses. */
  readonly patterns?: readonly { readonly rule: SchemaDescription }[];
  /** Schemas of the items of lists. */
  readonly items?: readonly SchemaDescription[];
}

const UNKNOWN = 'object.unknown';

function problemOf(item: Joi.ValidationErrorItem, whole: SchemaDescription, what: string): DefinitionProblem {
  const { type, message, context } = item;
  const path = item.path.map(String);
  const key = path.join('.');
  if (path.length === 0) {
    const found = describeValue(context?.value);
    return { path, ...problem('OBJECT_EXPECTED', what, keysAt([], whole).join(', '), found) };
  }
  if (type === UNKNOWN) {
    const suggestion = suggestionFor(item, whole);
    const known = keysAt(path.slice(0, -1), whole).join(', ');
    const advice = suggestion === undefined ? `the keys are ${known}` : `did you mean \`${suggestion}\`?`;
    return { path, ...problem('KEY_UNKNOWN', key, advice) };
  }
  if (type === 'any.required') return { path, ...problem('KEY_MISSING', key, message) };
  return { path, ...problem('VALUE_INVALID', key, withFound(context?.value, message)) };
}

/** The key that an unknown key probably means, with its path. */
function suggestionFor(
  { type, path }: Joi.ValidationErrorItem,
  whole: SchemaDescription,
): string | undefined {
  if (type !== UNKNOWN) return undefined;
  const above = path.slice(0, -1).map(String);
  const closest = closestName(String(path.at(-1)), keysAt(above, whole));
  return closest === undefined ? undefined : [...above, closest].join('.');
}

/** The keys that the object at a path may have. */
function keysAt([key, ...rest]: readonly string[], schema?: SchemaDescription): readonly string[] {
  if (key === undefined) return Object.keys(schema?.keys ?? {});
  return keysAt(rest, schema && schemaBelow(schema, key));
}

const schemaBelow = (
  { keys, patterns, items }: SchemaDescription,
  key: string,
): SchemaDescription | undefined => keys?.[key] ?? patterns?.[0]?.rule ?? items?.[0];

/** A text with the value that was found, and what is expected. */
export function withFound(value: unknown, expected: string): string {
  const isPlain = value === null || (typeof value !== 'object' && typeof value !== 'function');
  return isPlain ? `${describeValue(value)} ${expected}` : `is ${describeValue(value)}; it ${expected}`;
}
