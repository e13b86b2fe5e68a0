import { cutLines, joinLines } from './cut-lines.js';
import { endOfLines } from './exported-rows.js';
import { TEXT, type RowFormat } from './format.js';
import { reference } from './template-format.js';
import { withValues } from './value-settings.js';

const LINE_END = '\n';

const VALUES = { format_tsv_null_representation: '\\N' };

/** Fields separated by tabs, with a header row; ClickHouse escapes tabs and line feeds in values. */
export const tsv: RowFormat = {
  ...TEXT,
  mediaType: 'text/tab-separated-values',
  contentType: 'text/tab-separated-values; charset=utf-8',
  extension: 'tsv',
  values: 'text',
  clickHouseFormat: (columns) => ({
    name: 'TabSeparatedWithNames',
    settings: withValues({ ...VALUES, output_format_tsv_crlf_end_of_line: 0 }, columns),
  }),
  cut: (body, { rowCap }) => cutLines(body, rowCap, false),
  join: (bodies) => joinLines(bodies, false),
  exportRows: ({ described }) => ({
    row: described.map(({ name }) => `\${${reference(name)}:Escaped}`).join('\t'),
    separator: LINE_END,
    start: `${described.map(({ name }) => escaped(name)).join('\t')}${LINE_END}`,
    end: endOfLines(LINE_END),
    settings: VALUES,
  }),
  describeBody: () => ({ type: 'string', description: 'Fields separated by tabs, with a header row.' }),
};

const ESCAPES: Readonly<Record<string, string>> = {
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\0': String.raw`\0`,
  '\\': '\\\\',
  "'": String.raw`\'`,
};

/** A name with the escapes that ClickHouse uses in the header row. */
const escaped = (name: string): string =>
  name.replaceAll(/[\b\f\n\r\t\0'\\]/g, (character) => ESCAPES[character] ?? character);
