import { quoteText, unquote } from '../../endpoint/quote-sql.js';
import { resolveName, unknownDatabase, unknownTable } from './resolve-name.js';
import type { TableNames } from './statement.js';

/** Patterns for names, texts and conditions in the tokens of a statement, joined by single spaces. */
const NAME = '(?:`(?:[^`\\\\]|\\\\[^]|``)*`|"(?:[^"\\\\]|\\\\[^]|"")*"|[\\w$]+)';
const TABLE = `(?<table>${NAME}(?: \\. ${NAME})*)`;
const OF = `(?: (?:FROM|IN) (?<of>${NAME}))?`;
const LIKE =
  "(?:(?<not> NOT)? (?<like>I?LIKE) (?<pattern>'(?:[^'\\\\]|\\\\[^]|'')*'))?(?: LIMIT (?<limit>\\d+))?";

/** Texts that a statement has in the named groups of its pattern. */
type Found = Readonly<Partial<Record<string, string>>>;
type Write = (found: Found, names: TableNames, database: string) => string;

const selectFrom =
  (columns: string, table: string, name = 'name'): Write =>
  (found) =>
    `SELECT ${columns} FROM system.${table}${conditions(found, [], name)}`;

const showCreate: Write = (found, names) =>
  `SELECT create_table_query AS statement FROM system.tables WHERE ${ofTable(found, names, 'name')}`;

/** Patterns of statements about tables, and functions that write the SELECT with the same columns. */
const FORMS: readonly (readonly [form: string, write: Write])[] = [
  [`SHOW DATABASES${LIKE}`, selectFrom('name', 'databases')],
  [`SHOW FUNCTIONS${LIKE}`, selectFrom('*', 'functions')],
  [`SHOW CLUSTERS${LIKE}`, selectFrom('DISTINCT cluster', 'clusters', 'cluster')],
  ['SHOW ENGINES', selectFrom('*', 'table_engines')],
  [
    `SHOW(?<changed> CHANGED)? SETTINGS${LIKE}`,
    (found) =>
      `SELECT name, type, value FROM system.settings${conditions(found, found['changed'] ? ['changed'] : [])}`,
  ],
  [
    `SHOW(?<full> FULL)? TABLES${OF}${LIKE}`,
    (found, names, database) => {
      const of = `database = ${quoteText(databaseOf(found, names) ?? database)}`;
      return `SELECT name${found['full'] ? ', engine' : ''} FROM system.tables${conditions(found, [of])}`;
    },
  ],
  [
    `SHOW(?: EXTENDED)?(?<full> FULL)? (?:COLUMNS|FIELDS) (?:FROM|IN) ${TABLE}${OF}${LIKE}`,
    (found, names) =>
      "SELECT name AS field, type, if(startsWith(type, 'Nullable(') OR startsWith(type, 'LowCardinality(Nullable('), 'YES', 'NO') AS `null`, " +
      "trim(concat(if(is_in_primary_key, 'PRI ', ''), if(is_in_sorting_key, 'SOR', ''))) AS key, if(default_kind IN ('ALIAS', 'DEFAULT', " +
      `'MATERIALIZED'), default_expression, NULL) AS default, '' AS extra${found['full'] ? ", NULL AS collation, comment, '' AS privileges" : ''} ` +
      `FROM system.columns${conditions(found, [ofTable(found, names, 'table')], 'name', 'field')}`,
  ],
  [`SHOW (?:CREATE(?: TABLE| VIEW)?|TABLE) ${TABLE}`, showCreate],
  [
    `DESC(?:RIBE)?(?: TABLE)? ${TABLE}`,
    (found, names) =>
      'SELECT name, type, default_kind AS default_type, default_expression, comment, ' +
      `'' AS codec_expression, '' AS ttl_expression FROM system.columns WHERE ${ofTable(found, names, 'table')} ORDER BY position`,
  ],
  [
    `EXISTS DATABASE ${TABLE}`,
    (found, names) => `SELECT toUInt8(${names.isDatabase(piecesOf(found).join('.')) ? 1 : 0}) AS result`,
  ],
  [
    `EXISTS VIEW ${TABLE}`,
    (found, names) =>
      resolveName(piecesOf(found), names).table === undefined
        ? 'SELECT toUInt8(0) AS result'
        : `SELECT toUInt8(count()) AS result FROM system.tables WHERE ${ofTable(found, names, 'name')} AND engine = 'View'`,
  ],
  [`EXISTS (?:TEMPORARY TABLE|DICTIONARY) ${TABLE}`, () => 'SELECT toUInt8(0) AS result'],
  [
    `EXISTS(?: TABLE)? ${TABLE}`,
    (found, names) =>
      `SELECT toUInt8(${resolveName(piecesOf(found), names).table === undefined ? 0 : 1}) AS result`,
  ],
];

const PATTERNS = FORMS.map(([form, write]) => [new RegExp(`^${form}$`, 'i'), write] as const);

/**
 * Rewrites a statement about tables as the SELECT that returns the same columns. Undefined for another statement.
 *
 * @param statement tokens of the statement, joined by single spaces
 * @param database database of unqualified names
 */
export function metadataSelect(statement: string, names: TableNames, database: string): string | undefined {
  for (const [pattern, write] of PATTERNS) {
    const found = pattern.exec(statement);
    if (found) return write(found.groups ?? {}, names, database);
  }
  return undefined;
}

const namesIn = (written: string): readonly string[] =>
  [...written.matchAll(new RegExp(NAME, 'g'))].map(([name]) => (/^["`]/.test(name) ? unquote(name) : name));

/** Pieces of a table's name. A database that follows as `FROM database` comes first. */
const piecesOf = ({ table = '', of = '' }: Found): readonly string[] => [...namesIn(of), ...namesIn(table)];

function databaseOf({ of = '' }: Found, names: TableNames): string | undefined {
  const [database] = namesIn(of);
  if (database === undefined || names.isDatabase(database)) return database;
  throw unknownDatabase(database);
}

function ofTable(found: Found, names: TableNames, column: 'name' | 'table'): string {
  const { table } = resolveName(piecesOf(found), names);
  if (table === undefined) throw unknownTable(piecesOf(found), names);
  const dot = table.indexOf('.');
  return `database = ${quoteText(table.slice(0, dot))} AND ${column} = ${quoteText(table.slice(dot + 1))}`;
}

function conditions(
  { not = '', like, pattern, limit }: Found,
  given: readonly string[],
  name = 'name',
  order = name,
): string {
  const own = like === undefined || pattern === undefined ? [] : [`${name}${not} ${like} ${pattern}`];
  const all = [...given, ...own].join(' AND ');
  return `${all && ` WHERE ${all}`} ORDER BY ${order}${limit === undefined ? '' : ` LIMIT ${limit}`}`;
}
