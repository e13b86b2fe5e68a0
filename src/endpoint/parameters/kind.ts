import type { TypeName } from '../type-name.js';
import type { EmptyText, ItemKind, Parameter, ParameterOptions, ValidationContext } from './parameter.js';

/** A value in the form that ClickHouse reads, or why the text is invalid; `problem` completes "NAME …". */
export type Parsed = { readonly value: string } | { readonly problem: string };

/** How the values of one declared parameter are read and described. */
export interface Rules extends Pick<
  Parameter,
  'jsonSchema' | 'limits' | 'choices' | 'suggestions' | 'format' | 'syntax' | 'relativeStepMs'
> {
  /** Whether the bounds exclude every value, because they contradict each other or the types. */
  readonly isContradictory?: boolean;
  /** Two texts with the same meaning have the same value, and so the same cache key. */
  readonly parse: (text: string, context: ValidationContext) => Parsed;
}

/** A kind of parameter: one declaration from which schema, ClickHouse type and documentation come. */
export interface Kind<Options extends ParameterOptions = ParameterOptions> {
  readonly name: ItemKind;
  /** A Joi schema for each option of the kind's own; not typed as such, because the types of the package need no other one. */
  readonly options: Readonly<Record<Exclude<keyof Options, keyof ParameterOptions>, object>>;
  /** The valid meanings of an empty text, the default first. */
  readonly empty: readonly [EmptyText, ...EmptyText[]];
  /** The ClickHouse type of the bound value, unless the query names another type. */
  readonly type: (options: Options) => string;
  /** The ClickHouse types that the query may name, as a sentence lists them. */
  readonly types: string;
  readonly accepts: (type: TypeName) => boolean;
  /**
   * @param options valid by their schemas.
   * @param types all types that the query binds the value as; each is accepted. A valid value fits them all.
   */
  readonly rules: (options: Options, types: readonly TypeName[]) => Rules;
}
