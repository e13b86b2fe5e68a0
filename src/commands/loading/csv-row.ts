import type { CsvField } from './csv-record.js';
import { LoadError } from './load-error.js';
import { printable } from './rejection-reasons.js';
import { bareType } from '../../endpoint/type-name.js';
import type { Column } from './column.js';

/** Writes one field of a record into a JSON object; undefined where the object gets no such field. */
type WriteField = (field: CsvField) => string | undefined;

/** Turns the fields of a record into a line of NDJSON. */
export type WriteRow = (fields: readonly CsvField[]) => string;

/**
 * How the records below a line of column names become lines of NDJSON. Values are texts, which ClickHouse converts.
 *
 * @param columns of the table; absent where there is no table yet: an empty field is then null instead of omitted.
 * @throws LoadError where the names are not usable.
 */
export function rowWriter(names: readonly string[], columns?: readonly Column[]): WriteRow {
  rejectNames(names, columns);
  const columnByName = new Map(columns?.map((column) => [column.name, column]));
  const writers = names.map((name): WriteField => {
    const key = `${JSON.stringify(name)}:`;
    const write = columns ? valueWriter(columnByName.get(name)) : nullOrText;
    return (field) => {
      const value = write(field);
      return value === undefined ? undefined : key + value;
    };
  });
  return (fields) => {
    const written = fields.map((field, index) => writers[index]?.(field));
    return `{${written.filter((part) => part !== undefined).join(',')}}`;
  };
}

function rejectNames(names: readonly string[], columns: readonly Column[] | undefined): void {
  const known = new Set(columns?.map(({ name }) => name));
  const unnamed = names.indexOf('');
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (unnamed !== -1) throw headerError(`its name ${unnamed + 1} is empty`);
  if (repeated !== undefined) throw headerError(`${shown(repeated)} stands there twice`);
  if (columns && !names.some((name) => known.has(name)))
    throw headerError(
      `none of ${list(names)} is a column of the table, which has ${list(columns.map(({ name }) => name))}`,
    );
}

/** Names that a message lists. */
const MAX_SHOWN = 20;

const shown = (name: string): string => `\`${printable(name, 60)}\``;

function list(names: readonly string[]): string {
  const more = names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : '';
  return names.slice(0, MAX_SHOWN).map(shown).join(', ') + more;
}

/** The error of a file whose first line is not a line of column names. */
export function headerError(reason: string): LoadError {
  return new LoadError(`the first line of the file must name the columns: ${reason}`);
}

/** ClickHouse and MySQL write null so. */
const NULL = String.raw`\N`;

const isOmitted = ({ text, isQuoted }: CsvField): boolean => !isQuoted && (text === '' || text === NULL);

const nullOrText: WriteField = (field) => (isOmitted(field) ? 'null' : JSON.stringify(field.text));

const textOrNothing: WriteField = (field) => (isOmitted(field) ? undefined : JSON.stringify(field.text));

/** How a field is written for a column. ClickHouse reads most values from JSON strings, but not these types. */
function valueWriter(column: Column | undefined): WriteField {
  const type = column ? bareType(column.type).name : 'String';
  if (/^(?:String|FixedString|Enum\d*)$/.test(type)) return textOrNothing;
  if (type === 'Bool') return unlessBlank(booleanOf);
  if (/^(?:Array|Map|Tuple|JSON|Object)$/.test(type)) return unlessBlank(jsonOf);
  return unlessBlank(JSON.stringify);
}

/** Only a text can be empty: in a column of another type, an empty field in quotes is omitted too. */
function unlessBlank(write: (text: string) => string): WriteField {
  return (field) => {
    const text = field.text.trim();
    return text === '' || isOmitted(field) ? undefined : write(text);
  };
}

const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map((text) => [text, 'true'] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((text) => [text, 'false'] as const),
]);

/** Another text is left to ClickHouse, which rejects it with a reason. */
function booleanOf(text: string): string {
  return BOOLEANS.get(text.toLowerCase()) ?? JSON.stringify(text);
}

/** An array or object in JSON, on one line; another text is left to ClickHouse, which rejects it with a reason. */
function jsonOf(text: string): string {
  try {
    JSON.parse(text);
    // A line break in JSON is only white space: in a string it would be escaped.
    return text.replace(/[\r\n]+/g, ' ');
  } catch {
    return JSON.stringify(text);
  }
}
