import { Failure } from '../errors.js';

/**
 * A statement of a client over the SQL listener, whose tables are endpoints and constant catalogues. It reads each of them by an internal
 * name, which a WITH query in front of its text defines.
 */

/** A value that a client gives to a parameter of an endpoint, as `name = value` in the brackets behind a table. */
export type Argument =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'items'; readonly items: readonly string[] }
  /** NULL: no value. */
  | { readonly kind: 'none' }
  /** `{name:Type}`: the value of the parameter of this name that the client sent beside the statement. */
  | { readonly kind: 'parameter'; readonly name: string };

/** A table that a statement reads. */
export interface TableRead {
  /** As {@link TableNames.find} names it. */
  readonly table: string;
  /** The WITH query by which the text reads it; occurs nowhere else in the statement. */
  readonly internal: string;
  /** Empty where the table is named without brackets; `length` and perhaps `offset` of `system.numbers`. */
  readonly args: ReadonlyMap<string, Argument>;
}

/** The tables that a client can read. */
export interface TableNames {
  /**
   * The table of a name, in the form `database.table`; undefined where there is none.
   *
   * @param database undefined for a name without one
   */
  readonly find: (database: string | undefined, table: string) => string | undefined;
  /** Whether a name is that of a database. */
  readonly isDatabase: (name: string) => boolean;
  /** All of them, in the form `database.table`. */
  readonly all: () => readonly string[];
  /** When a table was removed that was there, and what to read instead; undefined for any other name. */
  readonly removal: (database: string | undefined, table: string) => string | undefined;
}

/** A SELECT of a client. */
export interface SelectStatement {
  /**
   * Its text without FORMAT, SETTINGS, a semicolon and comments, and with single spaces; each table has its internal name. Other texts are
   * in the places of literals that decide nothing about what it may do.
   */
  readonly template: string;
  /** These literals, by what stands in their places. */
  readonly literals: ReadonlyMap<string, string>;
  readonly reads: readonly TableRead[];
  /** Of a FORMAT clause at its end. */
  readonly format: string | undefined;
  /** Of a SETTINGS clause at its end: numbers and texts without quotes. */
  readonly settings: ReadonlyMap<string, string>;
  /** The names of the parameters in braces that the text has outside of arguments. */
  readonly parameters: ReadonlySet<string>;
  /** Every word and quoted name of the text, without quotes: names of columns that it may read are among them. */
  readonly words: ReadonlySet<string>;
  /** Whether the text has a star or a matcher, which reads columns that it does not name. */
  readonly hasMatcher: boolean;
  /**
   * A WITH query in the text, in whose place those of the tables are to be written, wherever it is: in each query of a UNION that would not
   * know them otherwise. Undefined where the text reads no table.
   */
  readonly slot: string | undefined;
}

export type Statement =
  | ({ readonly kind: 'select' } & SelectStatement)
  /** `DESCRIBE (SELECT …)`: the columns of a SELECT. */
  | ({ readonly kind: 'describe' } & SelectStatement)
  /** `SET` and `USE`: nothing follows them, because there are no sessions. */
  | { readonly kind: 'nothing'; readonly settings: ReadonlyMap<string, string> }
  | { readonly kind: 'kill'; readonly queryId: string };

/** Numbers of errors, as ClickHouse's `system.errors` has them. */
export const CODES = {
  ...{ BAD_ARGUMENTS: 36, NOT_IMPLEMENTED: 48, UNKNOWN_TABLE: 60, SYNTAX_ERROR: 62, CANNOT_PARSE_NUMBER: 72 },
  ...{ UNKNOWN_FORMAT: 73, UNKNOWN_DATABASE: 81, UNKNOWN_COMPRESSION_METHOD: 89, UNKNOWN_SETTING: 115 },
  ...{ INCORRECT_DATA: 117, READONLY: 164, AMBIGUOUS_IDENTIFIER: 207, QUERY_IS_TOO_LARGE: 307 },
  ...{ UNKNOWN_QUERY_PARAMETER: 456, ACCESS_DENIED: 497 },
} as const;

/** What is wrong with a statement, as clients of ClickHouse read it. */
export class StatementProblem extends Failure {
  /**
   * @param number one of {@link CODES}
   * @param message for the client: what is wrong, what was expected, what to do
   */
  constructor(
    readonly number: number,
    message: string,
  ) {
    super(number === CODES.ACCESS_DENIED ? 'FORBIDDEN' : 'INVALID_PARAMETERS', message);
  }
}
