import type { Problem } from '../../problems.js';

/** Where something stands in the text of a SELECT: offsets in UTF-16 units, the end exclusive. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A mistake in the text of a SELECT: what is wrong, what is expected and what to do. */
export interface SelectProblem extends Place, Problem {
  /** Set where somebody seems to be writing the file: it is empty, or its header has no end. */
  readonly unfinished?: 'empty' | 'half';
}

/** A piece of a SELECT. The texts of the pieces that apply, joined without anything between them, are the query. */
export type Piece = TextPiece | ParameterPiece | OptionalPiece;

/** Text that is sent as it is. */
export interface TextPiece extends Place {
  readonly kind: 'text';
  /** What stands in the file; one space in the place of each `[[` and `]]`, so that no two tokens become one. */
  readonly text: string;
}

/** A placeholder, `@name` or `{name:Type}`. */
export interface ParameterPiece extends Place {
  readonly kind: 'parameter';
  readonly name: string;
  /** The type of `{name:Type}` without white space around it; undefined for `@name`. */
  readonly type: string | undefined;
}

/** What stands between `[[` and `]]`: it applies when each parameter directly in it has a value. */
export interface OptionalPiece extends Place {
  readonly kind: 'optional';
  readonly pieces: readonly Piece[];
  /** Names of the columns of the result that this part adds, those of parts in it not included. */
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
  /** Without the word WITH, but with RECURSIVE; undefined where there is no list. */
  readonly withList: Place | undefined;
  /** Whether an optional part can give a name another meaning, so that the query without it reads something else. */
  readonly hasOptionalNames: boolean;
}

/** The text of a SELECT, read. With problems it must not be run, and pieces are what could be read. */
export interface SelectText extends WithList {
  /** Set where the text does not begin as a query does, so that nothing in it means anything. */
  readonly isNoQuery?: true;
  readonly pieces: readonly Piece[];
  /** Whether a LIMIT after the text could be invalid or limit less than the whole result. */
  readonly needsWrapping: boolean;
  readonly problems: readonly SelectProblem[];
}
