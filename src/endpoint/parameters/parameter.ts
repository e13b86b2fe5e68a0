import type { DefinitionProblem } from '../definition-error.js';
import type { JsonSchema } from '../json-schema.js';

/** What a validated parameter becomes: text in the form that ClickHouse reads, or a list of such texts. */
export type ParameterValue = string | readonly string[];

/** Bound of a parameter's value in a URL, and of a caller's own SQL: bytes of decoded UTF-8. */
export const MAX_VALUE_BYTES = 8192;

/** The kind of a parameter, or of the items of a list; one for each file of this folder that exports a {@link Kind}. */
export type ItemKind =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'uuid'
  | 'decimal'
  | 'enum'
  | 'timezone'
  | 'regular-expression';

/** The kind of a parameter. Code that treats kinds differently compares only this. */
export type ParameterKind = ItemKind | `${ItemKind}-list`;

/** What an empty text means: the value '', an omitted parameter, or an invalid parameter. */
export type EmptyText = 'value' | 'omitted' | 'problem';

/** What a value depends on, besides the text. */
export interface ValidationContext {
  /** The gateway's clock, for relative times. */
  readonly now: Date;
  /** The time zone of the call, whose calendar rounds relative times; absent: UTC. */
  readonly zone?: (() => string | undefined) | undefined;
}

/** The value of a parameter, absent for an omitted one without a default; or its problem, which completes "NAME …". */
export type ReadParameter<Value extends ParameterValue> =
  { readonly value?: Value } | { readonly problem: string };

/** An endpoint and its column, which lists the values of a parameter. */
export interface ChoicesFrom {
  readonly endpoint: string;
  readonly column: string;
}

/** One declared parameter of an endpoint. */
export interface Parameter<Value extends ParameterValue = ParameterValue> {
  readonly kind: ParameterKind;
  /**
   * Turns what the caller sent into the value; its problems are part of the response with status 400.
   *
   * @param sent the text, or the items of a list; undefined for an omitted parameter.
   */
  readonly read: (
    sent: string | readonly string[] | undefined,
    context: ValidationContext,
  ) => ReadParameter<Value>;
  /** The ClickHouse type that the value is bound as. */
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
  readonly empty: EmptyText;
  /** Schema of the value in OpenAPI; for a list, schema of an item. */
  readonly jsonSchema: JsonSchema;
  /** Bounds of the kind itself, where `jsonSchema` has those that the parameter is declared with. */
  readonly limits?: JsonSchema;
  /** Whether the value is a list: items separated by commas in a URL, an array in a body. */
  readonly isList?: true;
  /** Whether order and duplicates of the items make no difference, so that they are sorted, each once. */
  readonly isSet?: true;
  /** Whether a list that is written in brackets, as JSON writes one, is a list of such items. */
  readonly isVerbatim?: true;
  /** The value of an omitted parameter, as a caller would send it. */
  readonly default?: string;
  readonly deprecated?: true;
  /** Whether the value must not appear in logs, links and histories, except as an HMAC. */
  readonly secret?: true;
  readonly choicesFrom?: ChoicesFrom;
  /** "now" in relative times is rounded down to a multiple of this, in milliseconds; absent where relative times are invalid. */
  readonly relativeStepMs?: number;
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
  /** The value of an omitted parameter, which must itself be valid. */
  readonly default?: string | number | bigint | boolean | readonly (string | number | bigint | boolean)[];
  /** What an empty text means: an omitted parameter, except for texts. */
  readonly empty?: EmptyText;
  /** Callers should no longer send it; it works as before. */
  readonly deprecated?: boolean;
  /** Never in logs, the request log, traces, problems, signed links or the console's history; only as an HMAC. */
  readonly secret?: boolean;
  /** An endpoint that lists the values, for people who choose one. Other values are accepted too. */
  readonly choicesFrom?: ChoicesFrom;
}

/** Options of a list in addition to the options of its items. */
export interface ListOptions {
  /** Order and duplicates make no difference: ClickHouse gets the items sorted, each once, and all ways to send them share a result. */
  readonly set?: boolean;
  /** For texts: whether a value in brackets, such as `["a","b"]`, is valid, and is split at its commas like any other. */
  readonly verbatim?: boolean;
}

/** Bound of every text: ClickHouse gets no value with NUL. The escape is one that the expressions of most languages know. */
export const WITHOUT_NUL: JsonSchema = { pattern: '^[^\\x00]*$' };

/** JSON Schema of a text with only the bounds of every value. */
export const ANY_TEXT: JsonSchema = { type: 'string', maxLength: MAX_VALUE_BYTES };
