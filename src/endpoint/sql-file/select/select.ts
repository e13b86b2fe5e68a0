import type { Problem } from '../../problems.js';

/** A range in the text of a SELECT: offsets in UTF-16 units, the end exclusive. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A problem of the text of a SELECT: what is wrong, what is expected and what to do. */
export interface SelectProblem extends Place, Problem {
  /** Set where somebody seems to be writing the file: it is empty, or its header has no end. */
  readonly unfinished?: 'empty' | 'half';
}

/** A piece of a SELECT. The texts of the pieces that apply, joined without anything between them, are the query. */
export type Piece = TextPiece | ParameterPiece | OptionalPiece;

/** Text that is sent unchanged. */
export interface TextPiece extends Place {
  readonly kind: 'text';
  /** The text of the file, with one space in place of each `[[` and `]]`, so that no two tokens join. */
  readonly text: string;
}

/** A placeholder, `@name` or `{name:Type}`. */
export interface ParameterPiece extends Place {
  readonly kind: 'parameter';
  readonly name: string;
  /** The type of `{name:Type}` without white space around it; undefined for `@name`. */
  readonly type: string | undefined;
}

/** The contents of `[[` and `]]`, which apply when each parameter directly in them has a value. */
export interface OptionalPiece extends Place {
  readonly kind: 'optional';
  readonly pieces: readonly Piece[];
  /** Names of the result's columns that this part adds, without those of nested parts. */
  readonly columns: readonly string[];
}

/** A query of the outermost WITH list. */
export interface WithQuery {
  readonly name: string;
  /** The whole item of the list: name, AS and the parentheses. */
  readonly item: Place;
}

/** The WITH list of the outermost query. */
export interface WithList {
  readonly withQueries: readonly WithQuery[];
  /** The list after the word WITH, including RECURSIVE; undefined without a list. */
  readonly withList: Place | undefined;
  /** Whether an optional part can give a name another meaning, so that the query without it reads something else. */
  readonly hasOptionalNames: boolean;
}

/** The text of a SELECT, read. With problems it must not be run, and pieces are what could be read. */
export interface SelectText extends WithList {
  /** Set where the text does not begin like a query, so that nothing in it has a meaning. */
  readonly isNoQuery?: true;
  readonly pieces: readonly Piece[];
  /** Whether a LIMIT after the text could be invalid or limit less than the whole result. */
  readonly needsWrapping: boolean;
  readonly problems: readonly SelectProblem[];
}
