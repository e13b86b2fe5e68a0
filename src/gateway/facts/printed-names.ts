import { Rejection } from './rejection.js';

/*
 * ClickHouse prints names in a query tree without quotes, so a name can contain commas, colons and line breaks. The text around names has
 * few forms, so a name is the text between them. A line that can be read in two ways is rejected, never cut.
 */

const named = (key: string): string => `, ${key}: (?<${key}>@)`;
const optional = (form: string): string => `(?:${form})?`;
const facts = (keys: string): string => `(?:, (?:${keys}) ?: [\\w /.]+)`;

const ALIAS = optional(named('alias'));
/** FINAL and SAMPLE. The name of a table can also end with the same text. */
const MODIFIERS = `(?<facts>${facts('final|sample_size|sample_offset')}*)`;
const OF_QUERY = facts(String.raw`is_\w+|group_by_type|union_mode`);
const QUERY = `(?:, alias: (?<alias>(?:(?!${OF_QUERY})[^])*?))?(?<facts>${OF_QUERY}*)(?:, cte_name: (?<cte_name>@)(?<more>${OF_QUERY}*))?`;

/** Text after `id: N` of a node that has names. `@` means any text. */
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

/** Two patterns for each form: one matches the shortest possible names, one the longest. */
const READERS = new Map(
  Object.entries(FORMS).map(([kind, form]) => [
    kind,
    [String.raw`[^]*?`, '[^]*'].map((text) => new RegExp(`^${form.replaceAll('@', text)}$`, 'u')),
  ]),
);

/** Kinds for which only one reading is correct: constants are escaped, and the flags of a subquery follow its alias. */
const ONE_READING: ReadonlySet<string> = new Set(['CONSTANT', 'QUERY', 'UNION']);

/**
 * Properties of a node. Undefined for a kind without names. The property `printed` is the name of a table with the text after it.
 *
 * @throws Rejection where the names of the node are ambiguous
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
/** Heading above the names of columns. These lines are not nodes. */
export const COLUMNS = 'PROJECTION COLUMNS';

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Lines of a printed tree. A name with line breaks becomes one line again. */
export function wholeLines(lines: readonly string[]): readonly string[] {
  const whole: string[] = [];
  /** Indentation of the column names below the current heading. Undefined below other headings. */
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
