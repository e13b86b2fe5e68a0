import { placeForColumns } from '../../endpoint/sql-file/read-sql-endpoint.js';
import { readHeader } from '../../endpoint/sql-file/header.js';
import type { DescribedColumn } from '../../gateway/analysis/described-column.js';

/** Text that YAML reads as itself without quotes, also before a comma of a flow map. */
const PLAIN = /^(?!(?:null|true|false)$)[a-z_]\w*(?:\([a-z_]\w*(?:\([a-z_]\w*\))*\))?$/i;

/** The key `columns` in YAML, as a header has it. @param indent before each line but the first */
export function columnsText(columns: readonly DescribedColumn[], indent = ''): string {
  return ['columns:', ...columns.map((column) => `${indent}  ${lineOf(column)}`)].join('\n');
}

/**
 * The text of a file with the columns in its header, and every other character as it was.
 *
 * @returns undefined where the header is written in a way that no text can be added to.
 */
export function withColumns(source: string, columns: readonly DescribedColumn[]): string | undefined {
  const place = placeForColumns(source);
  if (place === undefined) return undefined;
  const added = isFlow(source, place)
    ? addToFlow(source, place, columns)
    : addToBlock(source, place, columns);
  return hasOnlyColumnsMore(source, added) ? added : undefined;
}

/**
 * The text of a file with an id in its header, before the name, and every other character as it was.
 *
 * @returns undefined where the header has an id or no name, or no text can be added to it.
 */
export function withId(source: string, id: string): string | undefined {
  const { value, placeOf, yamlEnd } = readHeader(source);
  if (typeof value !== 'object' || value === null || 'id' in value || !('name' in value)) return undefined;
  const { start } = placeOf({ path: ['name'], atKey: true });
  const isInFlow = isFlow(source, source.slice(0, yamlEnd).trimEnd().length);
  const newline = source.includes('\r\n') ? '\r\n' : '\n';
  const indent = /[^\n]*$/.exec(source.slice(0, start))?.[0].replace('/*', '') ?? '';
  const added = isInFlow ? `id: ${id}, ` : `id: ${id}${newline}${indent}`;
  const text = source.slice(0, start) + added + source.slice(start);
  const after = readHeader(text);
  const rest = Object.entries(after.value ?? {}).filter(([key]) => key !== 'id');
  return after.problems.length === 0 && isSame(Object.fromEntries(rest), value) ? text : undefined;
}

function addToBlock(source: string, place: number, columns: readonly DescribedColumn[]): string {
  const indent = indentOf(source.slice(openingEnd(source), place));
  const newline = source.includes('\r\n') ? '\r\n' : '\n';
  const text = `\n${indent}${columnsText(columns, indent)}`.replaceAll('\n', newline);
  return source.slice(0, place) + text + source.slice(place);
}

/** Before the closing brace of `{ name: …, id: … }`. */
function addToFlow(source: string, place: number, columns: readonly DescribedColumn[]): string {
  const end = source.slice(0, place - 1).trimEnd().length;
  const comma = source[end - 1] === ',' ? '' : ',';
  const text = `${comma} columns: { ${columns.map(lineOf).join(', ')} }`;
  return source.slice(0, end) + text + source.slice(end);
}

const openingEnd = (source: string): number => source.indexOf('/*') + '/*'.length;

const isFlow = (source: string, place: number): boolean =>
  source[place - 1] === '}' && source.slice(openingEnd(source), place).trimStart().startsWith('{');

/** What stands before the first key in its line. The comment's opening is not a part of the YAML. */
function indentOf(yaml: string): string {
  const firstKey = yaml.split('\n').find((line) => /^ *[^\s#]/.test(line) && !/^(?:---|%)/.test(line));
  return /^ */.exec(firstKey ?? '')?.[0] ?? '';
}

const lineOf = ({ name, type }: DescribedColumn): string => `${quoted(name)}: ${quoted(type)}`;

/** A slash is escaped, because the end of the comment must not be in it. */
const quoted = (text: string): string =>
  PLAIN.test(text) ? text : JSON.stringify(text).replaceAll('*/', String.raw`*\/`);

function hasOnlyColumnsMore(before: string, after: string): boolean {
  const { value, problems } = readHeader(after);
  if (problems.length > 0 || typeof value !== 'object' || value === null) return false;
  const others = Object.entries(value).filter(([key]) => key !== 'columns');
  return 'columns' in value && isSame(Object.fromEntries(others), readHeader(before).value);
}

const isSame = (left: unknown, right: unknown): boolean => textOf(left) === textOf(right);

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, of: unknown) => (typeof of === 'bigint' ? `${of}n` : of));
