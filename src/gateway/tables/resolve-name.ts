import { closestName } from '../../endpoint/closest-name.js';
import { isSymbol, type GroupNode } from '../../endpoint/sql-file/select/nodes.js';
import { CODES, StatementProblem, type TableNames } from './statement.js';
import { DATABASE } from './table-name.js';

/** Meaning of a name with dots as a table. */
export interface ResolvedName {
  readonly database: string | undefined;
  /** Name of the table, with `_` instead of dots, hyphens and `@`. */
  readonly name: string;
  /** Table in the form that {@link TableNames.find} returns. Undefined where there is none. */
  readonly table: string | undefined;
}

/** Finds the table of a name. Its dots may be quoted or not. */
export function resolveName(pieces: readonly string[], names: TableNames): ResolvedName {
  const [first = '', ...rest] = pieces;
  const database = rest.length > 0 && names.isDatabase(first) ? first : undefined;
  const name = (database === undefined ? pieces : rest).join('.').replaceAll(/[.@-]/g, '_');
  return { database, name, table: names.find(database, name) };
}

const READABLE =
  'The tables of the database querygate, and the catalogues system.tables, system.columns, system.databases and information_schema can be ' +
  'read; SHOW TABLES lists the first.';

/** Maximum length of a name in a message, in characters. */
export const MAX_SHOWN = 100;

/** Error for an unknown database. */
export const unknownDatabase = (name: string): StatementProblem =>
  new StatementProblem(
    CODES.UNKNOWN_DATABASE,
    `There is no database ${name.slice(0, MAX_SHOWN)}. The tables are in the database ${DATABASE}.`,
  );

/** Error for a table that cannot be read. @param args brackets after its name */
export function unknownTable(
  pieces: readonly string[],
  names: TableNames,
  args?: GroupNode,
): StatementProblem {
  const { database, name } = resolveName(pieces, names);
  const written = pieces.join('.').slice(0, MAX_SHOWN);
  if (args && !args.nodes.some((node) => isSymbol(node, '=')))
    return new StatementProblem(
      CODES.ACCESS_DENIED,
      `The table function ${written} is not allowed. ${READABLE}`,
    );
  if (database === undefined && pieces.length > 1) return unknownDatabase(pieces[0] ?? '');
  if (/^(?:system|information_schema)$/i.test(database ?? ''))
    return new StatementProblem(CODES.ACCESS_DENIED, `The table ${written} cannot be read here. ${READABLE}`);
  const removal = names.removal(database, name);
  if (removal !== undefined)
    return new StatementProblem(CODES.UNKNOWN_TABLE, `The table ${written} ${removal}`);
  const known = names.all().filter((table) => database === undefined || table.startsWith(`${database}.`));
  const nearest = closestName(
    name,
    known.map((table) => table.slice(table.indexOf('.') + 1)),
  );
  const advice = nearest === undefined ? READABLE : `Did you mean ${nearest}?`;
  return new StatementProblem(CODES.UNKNOWN_TABLE, `There is no table ${written}. ${advice}`);
}
