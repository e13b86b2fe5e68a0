import Joi from 'joi';

import { formatClickHouseTimestamp, parseIsoTimestamp, type SubMicrosecond } from './iso-timestamp.js';

/** What a validated parameter becomes: text, or a list of texts. Timestamps are in ClickHouse's own form. */
export type ParameterValue = string | readonly string[];

/** Longest value of a parameter and longest SQL of a caller, decoded, in bytes of UTF-8, and so in characters too. */
export const MAX_VALUE_BYTES = 8192;

/** One declared query-string parameter of an endpoint. */
export interface Parameter<Value extends ParameterValue = ParameterValue> {
  /** Turns the text that the caller sent into the value; its messages are what the caller reads on a 400. */
  readonly schema: Joi.Schema<Value>;
  /** The ClickHouse type that the value is bound as. */
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
  /** How the value is written, in the words of OpenAPI: `date-time`, `regex`, … */
  readonly format?: string;
  /** Every value that is accepted, where there are few. */
  readonly choices?: readonly string[];
  /** Values that mean something, where others are accepted too. */
  readonly suggestions?: readonly string[];
}

interface Common {
  readonly description: string;
  readonly required?: boolean;
}

const MESSAGES = {
  'any.required': 'is required',
  'any.only': 'must be one of {#valids}',
  'string.empty': 'must not be empty',
  'string.max': 'must be at most {#limit} characters',
  'timestamp.iso':
    'must be an ISO 8601 timestamp between 1900 and 2299, such as 2026-05-17, 2026-05-17 10:05:03 or ' +
    '2026-05-17T10:05:03.123456+02:00 (in a URL a + is written %2B)',
};

function finish<Value extends ParameterValue>(
  schema: Joi.Schema,
  parameter: Omit<Parameter<Value>, 'schema' | 'required'>,
  required = false,
): Parameter<Value> {
  const told = schema.messages(MESSAGES);
  return { ...parameter, required, schema: required ? told.required() : told };
}

/** Any text, the empty one included, unless `empty` says that it counts as omitted. */
export function text(
  options: Common & {
    readonly empty?: 'value' | 'omitted';
    readonly suggestions?: readonly string[];
  },
): Parameter<string> {
  const { description, required, empty = 'value', suggestions } = options;
  const schema = empty === 'omitted' ? Joi.string().empty('') : Joi.string().allow('');
  return finish(schema, { type: 'String', description, ...(suggestions && { suggestions }) }, required);
}

/** One of the values given; anything else is refused with a problem that names them. */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  options: Common,
): Parameter<Choice> {
  const { description, required } = options;
  return finish(Joi.string().valid(...choices), { type: 'String', description, choices }, required);
}

/**
 * A regular expression as ClickHouse's `match` has it (RE2, unanchored), not empty and at most `maxLength`
 * characters. Whether it compiles is for ClickHouse to say; the gateway turns its refusal into a 400.
 */
export function regularExpression(options: Common & { readonly maxLength: number }): Parameter<string> {
  const { description, required, maxLength } = options;
  const schema = Joi.string().custom((value: string, helpers) =>
    // Characters, not UTF-16 units: what a person who counts would count.
    Array.from(value).length > maxLength ? helpers.error('string.max', { limit: maxLength }) : value,
  );
  return finish(schema, { type: 'String', description, format: 're2' }, required);
}

/**
 * An ISO 8601 timestamp, bound to the microsecond.
 *
 * @param options.subMicrosecond which way a finer fraction is rounded: `ceil` for a bound compared with `>=`,
 * `floor` (the default) for `>`, `<=`.
 */
export function timestamp(
  options: Common & { readonly subMicrosecond?: SubMicrosecond; readonly empty?: 'problem' | 'omitted' },
): Parameter<string> {
  const { description, required, subMicrosecond, empty = 'problem' } = options;
  // Joi takes what is allowed() without a further look, hence no allow('') here.
  const base = empty === 'omitted' ? Joi.string().empty('') : Joi.string();
  const schema = base.custom((value: string, helpers) => {
    const micros = parseIsoTimestamp(value, subMicrosecond);
    return micros === undefined ? helpers.error('timestamp.iso') : formatClickHouseTimestamp(micros);
  });
  return finish(schema, { type: "DateTime64(6, 'UTC')", description, format: 'date-time' }, required);
}

/** Items separated by commas, taken as they are; order and repetition make no difference. */
export function textList(options: Common): Parameter<readonly string[]> {
  const { description, required } = options;
  // Not a Joi.string(), which would refuse the empty text before it becomes a list.
  const schema = Joi.any().custom((value: string) => [...new Set(value.split(','))].sort());
  return finish(schema, { type: 'Array(String)', description, format: 'comma-separated' }, required);
}
