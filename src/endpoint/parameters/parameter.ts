import Joi from 'joi';

import type { DefinitionProblem } from '../definition-error.js';
import type { JsonSchema } from '../json-schema.js';
import { must, problemsBySchema } from '../schema-problems.js';

/** What a validated parameter becomes: text, or a list of texts. Timestamps have ClickHouse's own form. */
export type ParameterValue = string | readonly string[];

/** Bound of a parameter's value, and of a caller's own SQL: bytes of decoded UTF-8. */
export const MAX_VALUE_BYTES = 8192;

/** The kind of a parameter, one for each function of this folder. Code that treats kinds differently compares only this. */
export type ParameterKind =
  'string' | 'enum' | 'regular-expression' | 'timestamp' | 'string-list' | 'integer' | 'boolean';

/** What an empty text means: the value '', an omitted parameter, or an invalid parameter. */
export type EmptyText = 'value' | 'omitted' | 'problem';

/** One declared query-string parameter of an endpoint. */
export interface Parameter<Value extends ParameterValue = ParameterValue> {
  readonly kind: ParameterKind;
  /** Turns the text that the caller sent into the value; its messages are part of the response with status 400. */
  readonly schema: Joi.Schema<Value>;
  /** The ClickHouse type that the value is bound as. */
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
  readonly empty: EmptyText;
  /** Of the value, as OpenAPI describes it; of one item, where `isList`. */
  readonly jsonSchema: JsonSchema;
  /** Whether the text is a list of items, separated by commas. */
  readonly isList?: true;
  /** Sentence about the syntax of the value, for the documentation of the API. */
  readonly syntax?: string;
  /** How the value is written, in the words of OpenAPI: `date-time`, `re2`, … */
  readonly format?: string;
  /** Every valid value, where there are few. */
  readonly choices?: readonly string[];
  /** Values with a meaning of their own, where other values are valid too. */
  readonly suggestions?: readonly string[];
  /** Mistakes in the options that it was declared with, which `defineEndpoint` reports. */
  readonly problems: readonly DefinitionProblem[];
}

/** What every parameter is declared with. */
export interface ParameterOptions {
  readonly description: string;
  readonly required?: boolean;
}

const OPTIONS = {
  description: must('a sentence', Joi.string().required()),
  required: must('true or false', Joi.boolean()),
} satisfies Record<keyof ParameterOptions, Joi.Schema>;

const MESSAGES = {
  'any.required': 'is required',
  'any.only': 'must be one of {#valids}',
  'string.empty': 'must not be empty',
};

/** JSON Schema of a text whose only bound is that of every value. */
export const ANY_TEXT: JsonSchema = { type: 'string', maxLength: MAX_VALUE_BYTES };

interface OwnRules {
  readonly messages?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, Joi.Schema>>;
}

/**
 * Completes a declaration.
 *
 * @param own.messages of the rules of the parameter's own, by Joi's error code, in addition to those of all parameters.
 * @param own.options the schemas of the options of the parameter's own.
 */
export function declareParameter<Value extends ParameterValue>(
  schema: Joi.Schema,
  options: ParameterOptions,
  facts: Omit<Parameter<Value>, 'schema' | 'required' | 'description' | 'problems'>,
  own: OwnRules = {},
): Parameter<Value> {
  const { required = false, description } = options;
  const complete = schema
    .messages({ ...MESSAGES, ...own.messages })
    .prefs({ errors: { wrap: { array: false } } });
  const problems = problemsBySchema(Joi.object({ ...OPTIONS, ...own.options }), options, 'the options');
  return { ...facts, description, required, problems, schema: required ? complete.required() : complete };
}
