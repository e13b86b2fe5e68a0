import type { DefinitionProblem } from '../definition-error.js';
import type { JsonSchema } from '../json-schema.js';

/** What a validated parameter becomes: text, or a list of texts. Timestamps have ClickHouse's own form. */
export type ParameterValue = string | readonly string[];

/** Bound of a parameter's value, and of a caller's own SQL: bytes of decoded UTF-8. */
export const MAX_VALUE_BYTES = 8192;

/** The kind of a parameter, one for each function of this folder. Code that treats kinds differently compares only this. */
export type ParameterKind =
  'string' | 'enum' | 'regular-expression' | 'timestamp' | 'string-list' | 'integer' | 'boolean';

/** What an empty text means: the value '', an omitted parameter, or an invalid parameter. */
export type EmptyText = 'value' | 'omitted' | 'problem';

/** A Joi schema, as far as the gateway uses it: the types of the package need no other package. */
export interface ParameterSchema<Value extends ParameterValue> {
  /** @returns no value for an omitted parameter. */
  readonly validate: (text: string | undefined) => {
    readonly value?: Value | undefined;
    readonly error?: Error | undefined;
  };
}

/** One declared query-string parameter of an endpoint. */
export interface Parameter<Value extends ParameterValue = ParameterValue> {
  readonly kind: ParameterKind;
  /** Turns the text that the caller sent into the value; its messages are part of the response with status 400. */
  readonly schema: ParameterSchema<Value>;
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

/** JSON Schema of a text whose only bound is that of every value. */
export const ANY_TEXT: JsonSchema = { type: 'string', maxLength: MAX_VALUE_BYTES };
