export type Options = Readonly<Record<string, unknown>>;

/** What holds for one kind of parameter; problems and mistakes contain these texts. */
export interface Promises {
  /** Options without which a parameter of the kind is none. */
  readonly options?: Options;
  /** Texts and the values that they have: of the kind with the options above, and with further ones. */
  readonly values: readonly (readonly [sent: string, value: string, options?: Options])[];
  readonly problems: readonly (readonly [sent: string, problem: string, options?: Options])[];
  /** Invalid options. */
  readonly mistakes: readonly (readonly [options: Options, mistake: string])[];
  /** Types that the query binds the value as together, with texts that fit them all, and texts that do not. */
  readonly types: readonly (readonly [
    types: readonly string[],
    valid: readonly string[],
    invalid: readonly string[],
  ])[];
  readonly otherTypes: readonly string[];
  /** The problem of the empty text. */
  readonly ofEmpty?: string;
}

type Row = readonly [text: string, expected: string, options: Options];

/** Rows of texts with one problem. */
export const each = (texts: readonly string[], problem: string, options?: Options): readonly Row[] =>
  texts.map((text) => [text, problem, options ?? {}] as const);
/** Rows of texts that are their own values. */
export const same = (texts: readonly string[], options?: Options): readonly Row[] =>
  texts.map((text) => [text, text, options ?? {}] as const);
