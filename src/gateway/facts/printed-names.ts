import { Rejection } from './rejection.js';

/*
 * ClickHouse prints the names of a query tree as they are: a name can have commas, colons and line breaks. What is not a name has few
 * forms, so that a name is what is between them; where that can be read in two ways, it is rejected, and never cut.
 */

const named = (key: string): string => `, ${key}: (?<${key}>@)`;
const optional = (form: string): string => `(?:${form})?`;
const facts = (keys: string): string => `(?:, (?:${keys}) ?: [\\w /.]+)`;

const ALIAS = optional(named('alias'));
/** FINAL and SAMPLE; a table can also have a name that ends as if it had them. */
const MODIFIERS = `(?<facts>${facts('final|sample_size|sample_offset')}*)`;
const OF_QUERY = facts(String.raw`is_\w+|group_by_type|union_mode`);
const QUERY = `(?:, alias: (?<alias>(?:(?!${OF_QUERY})[^])*?))?(?<facts>${OF_QUERY}*)(?:, cte_name: (?<cte_name>@)(?<more>${OF_QUERY}*))?`;

/** What follows `id: N` of a node that has names; `@` is any text. */
const FORMS: Readonly<Record<string, string>> = {
  COLUMN: `${ALIAS}${named('column_name')}${named('result_type')}, source_id: (?<source_id>\\d+)\\n*`,
  CONSTANT: `${ALIAS}${named('constant_value')}${named('constant_value_type')}\\n*`,
  FUNCTION: `${ALIAS}${named('function_name')}(?<facts>${facts('function_type|nulls_action')}+)${optional(named('result_type'))}\\n*`,
  IDENTIFIER: `${ALIAS}${named('identifier')}${MODIFIERS}`,
  TABLE: `${ALIAS}${named('table_name')}${MODIFIERS}`,
  TABLE_FUNCTION: `${ALIAS}${named('table_function_name')}${MODIFIERS}`,
  QUERY,
  UNION: QUERY,
};

/** The shortest and the longest names that a form can have. */
const READERS = new Map(
  Object.entries(FORMS).map(([kind, form]) => [
    kind,
    [String.raw`[^]*?`, '[^]*'].map((text) => new RegExp(`^${form.replaceAll('@', text)}$`, 'u')),
  ]),
);

/** Kinds of which only one reading is right: a constant is escaped, and what a subquery is comes after its alias. */
const ONE_READING: ReadonlySet<string> = new Set(['CONSTANT', 'QUERY', 'UNION']);

/**
 * The properties of a node of any query, undefined for a kind without names. `printed` is the name of a table with what follows it.
 *
 * @throws Rejection where the node does not show which names it has
 */
export function printedNames(kind: string, rest: string): ReadonlyMap<string, string> | undefined {
  const readers = READERS.get(kind);
  if (!readers) return undefined;
  const [shortest, longest] = readers.map((reader): Texts | undefined => reader.exec(rest)?.groups);
  const isSure = ONE_READING.has(kind) || textsOf(shortest) === textsOf(longest);
  const read = kind === 'CONSTANT' ? longest : shortest;
  if (!read || !isSure)
    throw new Rejection('has a name or a node that ClickHouse’s tree of it does not show whole');
  return propertiesOf(read);
}

function propertiesOf({ facts: ofNode = '', more = '', ...names }: Texts): ReadonlyMap<string, string> {
  const properties = new Map(
    [...(ofNode + more).matchAll(/, (\w+) ?: ([\w /.]+)/g)].map(([, key = '', value = '']) => [key, value]),
  );
  for (const [key, value] of Object.entries(names)) if (value !== undefined) properties.set(key, value);
  const table = names['table_name'] ?? names['identifier'];
  if (table !== undefined && ofNode !== '') properties.set('printed', table + ofNode);
  return properties;
}

type Texts = Readonly<Record<string, string | undefined>>;

const textsOf = ({ alias, ...texts }: Texts = {}): string =>
  JSON.stringify([alias, Object.values(texts).join('')]);

const NODE = /^ *[A-Z][A-Z_ ]*? id: \d+(?:,|$)/;
const HEADING =
  /^ +(?:[A-Z][A-Z_]*(?: [A-Z_]+)* ?|(?:EXPRESSION|REPLACEMENTS|REPLACEMENT NAME|SETTINGS) .*)$/;
/** The heading above the names of columns, which are no nodes. */
export const COLUMNS = 'PROJECTION COLUMNS';

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The lines of a printed tree, in which a name with line breaks is one line again. */
export function wholeLines(lines: readonly string[]): readonly string[] {
  const whole: string[] = [];
  /** The indentation of the names of columns, below their heading. */
  let columns: number | undefined;
  for (const line of lines) {
    const indent = indentOf(line);
    const isHeading = HEADING.test(line) && (columns === undefined || indent < columns);
    const isOther = columns === undefined ? NODE.test(line) : indent === columns && line.trim() !== '';
    if (isHeading) columns = line.trim() === COLUMNS ? indent + 2 : undefined;
    if (isHeading || isOther) whole.push(line);
    else whole.push(`${whole.pop() ?? ''}\n${line}`);
  }
  return whole;
}
