import { asRecord } from '../as-record.js';
import { namesInOrder } from '../page-order.js';
import { readHeader, type Header } from './header.js';
import { optionalColumnsOf, placeholdersOf } from './select-parameters.js';
import { parseSelectText, type SelectText } from './select/select-text.js';

/** The paths of a file. */
export interface FilePlace {
  /** Absolute. */
  readonly path: string;
  /** Path in messages: `endpoints/visits.by-day.sql`. */
  readonly shownPath: string;
}

/** An endpoint file in SQL: a leading comment with the header in YAML 1.2, then one SELECT. */
export interface SqlFile extends FilePlace {
  readonly source: string;
  readonly header: Header;
  /** The text after the header, without white space around it. */
  readonly text: string;
  /** Offset at which the SELECT begins in the source. Places in `select` are relative to it. */
  readonly selectStart: number;
  readonly select: SelectText;
}

/** Parses an endpoint file in SQL. Never throws: mistakes are in the `problems` of the header and of the SELECT. */
export function parseSqlFile(source: string, place: FilePlace = { path: '', shownPath: '' }): SqlFile {
  const header = readHeader(source);
  const text = source.slice(header.end).trim();
  return {
    ...place,
    source,
    header,
    text,
    selectStart: source.indexOf(text, header.end),
    select: parseSelectText(text),
  };
}

/** The offset at which `columns` can be inserted into a file; undefined where the header has columns or is invalid. */
export function placeForColumns(source: string, { value, yamlEnd }: Header): number | undefined {
  if (typeof value !== 'object' || value === null || 'columns' in value) return undefined;
  return source.slice(0, yamlEnd).trimEnd().length;
}

/** Whether the header of an endpoint's file has no `columns`, so that those of the endpoint are made up. */
export const lacksColumns = (file: SqlFile | undefined): boolean =>
  file !== undefined && placeForColumns(file.source, file.header) !== undefined;

/** Every name that a file uses as a column; only ClickHouse knows which of them exist. */
export function possibleColumns({ header, select }: SqlFile): Readonly<Record<string, string>> {
  const { parameters, pages, pieces } = asRecord(header.value);
  const choicesOf = (name: string): readonly unknown[] =>
    [asRecord(asRecord(parameters)[name])['choices'] ?? []].flat();
  const choices = placeholdersOf(select.pieces)
    .filter(({ piece }) => piece.type === 'Identifier')
    .flatMap(({ piece }) => choicesOf(piece.name).map(String));
  const names = [...optionalColumnsOf(select.pieces).keys(), ...choices, 'any'];
  const ofPages = namesInOrder(asRecord(pages)['by']);
  const ofPieces = namesInOrder([asRecord(pieces)['bucket']]);
  return Object.fromEntries([
    ...[...names, ...ofPages].map((name) => [name, 'String'] as const),
    ...ofPieces.map((name) => [name, 'DateTime'] as const),
  ]);
}
