import { readHeader, type Header } from './header.js';
import { parseSelectText, type SelectText } from './select/select-text.js';

/** An endpoint file in SQL: a leading comment with the header in YAML 1.2, then one SELECT. */
export interface ParsedSqlFile {
  readonly source: string;
  readonly header: Header;
  /** The text after the header, without white space around it. */
  readonly text: string;
  /** Where that text begins in the source. Places in `select` are relative to it. */
  readonly selectStart: number;
  readonly select: SelectText;
}

/** Parses an endpoint file in SQL. Never throws: mistakes are in the `problems` of the header and of the SELECT. */
export function parseSqlFile(source: string): ParsedSqlFile {
  const header = readHeader(source);
  const text = source.slice(header.end).trim();
  return {
    source,
    header,
    text,
    selectStart: source.indexOf(text, header.end),
    select: parseSelectText(text),
  };
}
