import { placeForColumns } from '../../endpoint/sql-file/parse-sql-file.js';
import { readHeader } from '../../endpoint/sql-file/header.js';
import type { ResultColumn } from '../../gateway/formats/format.js';
import { headerText, newHeader } from '../header-yaml.js';

/** The key `columns` in YAML, as a header has it. @param indent before each line but the first */
export function columnsText(columns: readonly ResultColumn[], indent = ''): string {
  const header = newHeader();
  header.set('columns', header.createNode(new Map(columns.map(({ name, type }) => [name, type]))));
  return headerText(header).replaceAll('\n', `\n${indent}`);
}

/**
 * The text of a file with the columns added to its header. Every other character stays the same.
 *
 * @returns undefined where nothing can be added to the header, for example to an object in braces.
 */
export function withColumns(source: string, columns: readonly ResultColumn[]): string | undefined {
  const place = placeForColumns(source, readHeader(source));
  if (place === undefined) return undefined;
  const indent = indentOf(source.slice(source.indexOf('/*') + '/*'.length, place));
  return insert(source, place, `\n${indent}${columnsText(columns, indent)}`, 'columns');
}

/**
 * The text of a file with an id added to its header, before the name. Every other character stays the same.
 *
 * @returns undefined where the header has an id or no name, or where nothing can be added to it.
 */
export function withId(source: string, id: string): string | undefined {
  const { value, placeOf } = readHeader(source);
  if (typeof value !== 'object' || value === null || 'id' in value || !('name' in value)) return undefined;
  const { start } = placeOf({ path: ['name'], atKey: true });
  const indent = /[^\n]*$/.exec(source.slice(0, start))?.[0].replace('/*', '') ?? '';
  return insert(source, start, `id: ${id}\n${indent}`, 'id');
}

/** @returns undefined where the new header would differ in more than the new key */
function insert(source: string, at: number, text: string, key: string): string | undefined {
  const newline = source.includes('\r\n') ? '\r\n' : '\n';
  const changed = source.slice(0, at) + text.replaceAll('\n', newline) + source.slice(at);
  const { value, problems } = readHeader(changed);
  if (problems.length > 0 || typeof value !== 'object' || value === null || !(key in value)) return undefined;
  const others = Object.entries(value).filter(([name]) => name !== key);
  return textOf(Object.fromEntries(others)) === textOf(readHeader(source).value) ? changed : undefined;
}

/** The indentation of the first key. The opening of the comment is not a part of the YAML. */
function indentOf(yaml: string): string {
  const firstKey = yaml.split('\n').find((line) => /^ *[^\s#]/.test(line) && !/^(?:---|%)/.test(line));
  return /^ */.exec(firstKey ?? '')?.[0] ?? '';
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, of: unknown) => (typeof of === 'bigint' ? `${of}n` : of));
