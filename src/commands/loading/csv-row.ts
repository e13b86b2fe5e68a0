import { bareType } from '../../endpoint/type-name.js';
import type { CsvField } from './csv-record.js';
import { LoadError, shortened } from './load-error.js';
import type { Column } from './columns.js';

/** Turns the fields of a record into a line of NDJSON. */
export type WriteRow = (fields: readonly CsvField[]) => string;

/**
 * Returns a function that converts the records below a line of column names to lines of NDJSON. ClickHouse converts the texts.
 *
 * @param columns columns of the table; absent where there is no table yet: an empty field is then null instead of omitted.
 * @throws LoadError where the names are not usable.
 */
export function rowWriter(names: readonly string[], columns: readonly Column[] | undefined): WriteRow {
  rejectNames(names, columns);
  const types = new Map(columns?.map(({ name, type }) => [name, bareType(type).name]));
  const omitted = columns ? undefined : 'null';
  const members = names.map((name) => (field: CsvField): string[] => {
    const value = jsonOf(field, types.get(name) ?? 'String') ?? omitted;
    return value === undefined ? [] : [`${JSON.stringify(name)}:${value}`];
  });
  return (fields) => `{${fields.flatMap((field, index) => members[index]?.(field) ?? []).join(',')}}`;
}

/**
 * A field as JSON; undefined where it is omitted. ClickHouse reads most values from JSON strings, but not booleans, arrays and objects.
 * An invalid one of these stays a string, which ClickHouse rejects with a reason.
 */
function jsonOf({ text, isQuoted }: CsvField, type: string): string | undefined {
  // ClickHouse and MySQL write null so.
  if (!isQuoted && (text === '' || text === String.raw`\N`)) return undefined;
  if (/^(?:String|FixedString|Enum\d*)$/.test(type)) return JSON.stringify(text);
  const value = text.trim();
  // Only a text can be empty. In a column of another type, an empty field in quotes is omitted too.
  if (value === '') return undefined;
  if (type === 'Bool' && /^(?:true|t|yes|y|on|1)$/i.test(value)) return 'true';
  if (type === 'Bool' && /^(?:false|f|no|n|off|0)$/i.test(value)) return 'false';
  // A line break in JSON is only white space: in a string it would be escaped.
  if (/^(?:Array|Map|Tuple|JSON|Object)$/.test(type) && parsesAsJson(value))
    return value.replace(/[\r\n]+/g, ' ');
  return JSON.stringify(value);
}

/** Whether a text is one value of JSON. */
export function parsesAsJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function rejectNames(names: readonly string[], columns: readonly Column[] | undefined): void {
  const unnamed = names.indexOf('');
  if (unnamed !== -1) throw headerError(`its name ${unnamed + 1} is empty`);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) throw headerError(`${list([repeated])} stands there twice`);
  if (!columns && names.every(isValue))
    throw headerError(`${list(names)} can only be values: put a line of names before them`);
  const known = columns?.map(({ name }) => name);
  if (known && !names.some((name) => known.includes(name)))
    throw headerError(
      (isComment(names[0]) ? `${COMMENT}: ` : '') +
        `none of ${list(names)} is a column of the table, which has ${list(known)}`,
    );
}

/** Whether a name is perhaps a value of a file without names: a number, a time or a UUID. */
export const isValue = (name: string): boolean =>
  /^(?:[-+.]?\d[-+.,:/\dTZ\s]*|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i.test(name);

/** Whether a field begins a comment, or perhaps the names of columns, as numpy writes them. */
export const isComment = (text = ''): boolean => text.startsWith('#');

/** What a file with two lines of comments needs. */
export const COMMENT = 'it is a comment; remove the lines before the names, as grep -v "^#" FILE does';

/** Names that a message lists. */
const MAX_SHOWN = 20;

function list(names: readonly string[]): string {
  const more = names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : '';
  const shown = names.slice(0, MAX_SHOWN).map((name) => `\`${shortened(name, 60)}\``);
  return shown.join(', ') + more;
}

/** The error of a file whose first line does not contain column names. */
export function headerError(reason: string): LoadError {
  return new LoadError(`the first line of the file must name the columns: ${reason}`);
}
