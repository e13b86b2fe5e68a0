import { Failure } from '../errors.js';

/**
 * A statement of a client over the SQL listener, whose tables are endpoints and constant catalogues. It reads each of them by an internal
 * name, which a WITH query in front of its text defines.
 */

/** A value that a client gives to a parameter of an endpoint, as `name = value` in the brackets behind a table. */
export type Argument =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'items'; readonly items: readonly string[] }
  /** NULL, which means no value. */
  | { readonly kind: 'none' }
  /** `{name:Type}`: the value is that of a parameter which the client sent beside the statement. */
  | { readonly kind: 'parameter'; readonly name: string };

/** A table that a statement reads. */
export interface TableRead {
  /** Table in the form that {@link TableNames.find} returns. */
  readonly table: string;
  /** Name of the WITH query through which the text reads the table. It occurs nowhere else in the statement. */
  readonly internal: string;
  /** Arguments of the table. Empty where it has no brackets. Those of `system.numbers` are `length` and an optional `offset`. */
  readonly args: ReadonlyMap<string, Argument>;
}

/** The tables that a client can read. */
export interface TableNames {
  /**
   * Finds the table of a name, in the form `database.table`. Undefined where there is none.
   *
   * @param database undefined for an unqualified name
   */
  readonly find: (database: string | undefined, table: string) => string | undefined;
  /** Whether a name is the name of a database. */
  readonly isDatabase: (name: string) => boolean;
  /** All tables, in the form `database.table`. */
  readonly all: () => readonly string[];
  /** Text that says when a table was removed and what to read instead. Undefined for a table that was not removed. */
  readonly removal: (database: string | undefined, table: string) => string | undefined;
}

/** A client's SELECT. */
export interface SelectStatement {
  /**
   * Text without FORMAT, SETTINGS, semicolon and comments, with single spaces. Each table has its internal name. Placeholders replace
   * literals whose values no check depends on.
   */
  readonly template: string;
  /** Literals by the placeholders that replace them. */
  readonly literals: ReadonlyMap<string, string>;
  readonly reads: readonly TableRead[];
  /** Format of the FORMAT clause. Undefined where there is none. */
  readonly format: string | undefined;
  /** Settings of SETTINGS clauses, as numbers and unquoted texts. */
  readonly settings: ReadonlyMap<string, string>;
  /** Names of the parameters in braces that the text has outside of arguments. */
  readonly parameters: ReadonlySet<string>;
  /** Every word and quoted name of the text, without quotes: names of columns that it may read are among them. */
  readonly words: ReadonlySet<string>;
  /** Whether the text has a star or a matcher, which reads columns that it does not name. */
  readonly hasMatcher: boolean;
  /**
   * Placeholder WITH query that the WITH queries of the tables replace. It occurs in each query of a UNION that would not know the tables
   * otherwise. Undefined where the text reads no table.
   */
  readonly slot: string | undefined;
}

export type Statement =
  | ({ readonly kind: 'select' } & SelectStatement)
  /** `DESCRIBE (SELECT …)`: the columns of a SELECT. */
  | ({ readonly kind: 'describe' } & SelectStatement)
  /** `SET` and `USE`, which have no effect on later statements because there are no sessions. */
  | { readonly kind: 'nothing'; readonly settings: ReadonlyMap<string, string> }
  | { readonly kind: 'kill'; readonly queryId: string };

/** Numbers of errors in ClickHouse's `system.errors`. */
export const CODES = {
  ...{ BAD_ARGUMENTS: 36, NOT_IMPLEMENTED: 48, UNKNOWN_TABLE: 60, SYNTAX_ERROR: 62, CANNOT_PARSE_NUMBER: 72 },
  ...{ UNKNOWN_FORMAT: 73, UNKNOWN_DATABASE: 81, UNKNOWN_COMPRESSION_METHOD: 89, UNKNOWN_SETTING: 115 },
  ...{ INCORRECT_DATA: 117, READONLY: 164, AMBIGUOUS_IDENTIFIER: 207, QUERY_IS_TOO_LARGE: 307 },
  ...{ UNKNOWN_QUERY_PARAMETER: 456, ACCESS_DENIED: 497 },
} as const;

/** A problem of a statement, in the form that ClickHouse clients read. */
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
