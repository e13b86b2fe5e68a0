import { randomUUID } from 'node:crypto';

import type { BoundQuery } from '../../endpoint/bind.js';
import { keyOfValue, MAX_LAST_ROW_BYTES, NULL_KEY, type LastRow } from '../../endpoint/after-last-row.js';
import type { PageOrder } from '../../endpoint/page-order.js';
import { ROW_LIMIT } from '../../endpoint/reserved.js';
import { Failure } from '../errors.js';
import { brokenResponse } from '../formats/broken-response.js';
import type { ClickHouseFormat, ExportedRows, RowFormat } from '../formats/format.js';
import { FORMATS } from '../formats/formats.js';
import { projectColumns, ROWS } from '../formats/project-columns.js';
import { withValues } from '../formats/value-settings.js';
import type { RequestedPage } from '../query/ports.js';
import type { WrittenColumns } from '../formats/written-columns.js';

/** The column with the key of a row. */
const KEY = '_querygate_page_key';
/** The parameter with the text that begins a key. No endpoint can declare one with such a name. */
const MARK = '_page_mark';

const ROW = 'format_template_row_format';

/** How rows with keys are written: what depends on the definition and the representation alone. */
interface KeyedRows {
  /** Adds the key as the last column, empty in rows but the last one and the one beyond. */
  readonly project: (query: BoundQuery) => BoundQuery;
  /** Has the key after each row. */
  readonly clickHouseFormat: ClickHouseFormat;
  /** Of a format of lines: what stands before the rows, and between two. */
  readonly lines?: Pick<ExportedRows, 'start' | 'separator'>;
}

const known = new WeakMap<WrittenColumns, KeyedRows>();

/** Of the columns of one definition, for which it is computed once. */
function keyedRows(written: WrittenColumns, format: RowFormat, order: PageOrder): KeyedRows {
  const earlier = known.get(written);
  if (earlier) return earlier;
  const { representation, columns } = written;
  const values = order.map((column) => keyOfValue(column, ROWS));
  const key = `concat({${MARK}:String}, ${values.join(", ' ', ")})`;
  // The query ends with the limit, so that its rows come in one stream, in order.
  const ofLast = `if(rowNumberInAllBlocks() + 2 < {${ROW_LIMIT}:UInt64}, '', ${key}) AS ${KEY}`;
  const options = { values: format.values, times: representation.times };
  const rows: KeyedRows = {
    project: projectColumns(columns.described, options, [ofLast]),
    ...keyedFormat(written, format),
  };
  known.set(written, rows);
  return rows;
}

function keyedFormat(
  { clickHouseFormat: own, columns, representation }: WrittenColumns,
  format: RowFormat,
): Pick<KeyedRows, 'clickHouseFormat' | 'lines'> {
  const key = `\${${KEY}:Raw}`;
  if (own.name === 'Template') {
    const settings = { ...own.settings, [ROW]: `${own.settings[ROW] ?? ''}${key}` };
    return { clickHouseFormat: { ...own, settings } };
  }
  // The formats of lines have no place for a text that is no field.
  const { row, separator, start, settings } = format.exportRows(columns, representation.times);
  const template = {
    format_template_resultset_format: `\${data}${separator}`,
    [ROW]: `${row}${key}`,
    format_template_rows_between_delimiter: separator,
    ...settings,
  };
  return {
    clickHouseFormat: { name: 'Template', settings: withValues(template, columns) },
    lines: { start, separator },
  };
}

/**
 * Reads where a page ends. ClickHouse writes the key of the last row of the page, and that of the row beyond it, after these two
 * rows, in a form from which it makes the same values again: whatever the format rounds or cannot hold, the key has. Keys are
 * removed from the body, whose bytes are then those that ClickHouse writes without them.
 */
export class PageKeys {
  /** Nothing that a row contains by chance. */
  private readonly mark = `page${randomUUID().replaceAll('-', '')}`;

  constructor(
    private readonly rows: KeyedRows,
    private readonly page: RequestedPage,
  ) {}

  get clickHouseFormat(): ClickHouseFormat {
    return this.rows.clickHouseFormat;
  }

  /** The query with the key as its last column. */
  query(bound: BoundQuery): BoundQuery {
    const { text } = this.rows.project(bound);
    return { ...bound, text, parameters: { ...bound.parameters, [MARK]: this.mark } };
  }

  /**
   * The body without keys, and the last row of the page where there are more rows.
   *
   * @param rows in the body, one more than the cap where there are more
   * @throws Failure PAGES_NOT_UNIQUE, ENDPOINT_INVALID or CLICKHOUSE_ANSWER_BROKEN
   */
  read(body: Buffer, rows: number, rowCap: number): { readonly body: Buffer; readonly lastRow?: LastRow } {
    const { pieces, keys } = this.split(body);
    if (keys.length !== Math.max(0, rows - rowCap + 1)) {
      throw brokenResponse(`${keys.length} keys in a page of ${rows} rows, of which ${rowCap} are allowed`);
    }
    const [last, next] = keys;
    const whole = this.whole(pieces, rows);
    if (last === undefined || next === undefined) return { body: whole };
    const { order, last: before } = this.page;
    if (last === next) throw notUnique(order);
    const lastRow = requireShort(lastRowOf(last));
    if (before && isSameRow(before, lastRow)) throw endless(order);
    return { body: whole, lastRow };
  }

  /** Cuts the body at each key. */
  private split(body: Buffer): { readonly pieces: readonly Buffer[]; readonly keys: readonly string[] } {
    const pieces: Buffer[] = [];
    const keys: string[] = [];
    let done = 0;
    for (let at = body.indexOf(this.mark); at !== -1; at = body.indexOf(this.mark, done)) {
      const start = at + this.mark.length;
      let end = start;
      while (isOfKey(body[end])) end += 1;
      pieces.push(body.subarray(done, at));
      keys.push(body.toString('latin1', start, end));
      done = end;
    }
    return { pieces: [...pieces, body.subarray(done)], keys };
  }

  private whole(pieces: readonly Buffer[], rows: number): Buffer {
    const { lines } = this.rows;
    if (!lines) return Buffer.concat(pieces);
    const whole = Buffer.concat([Buffer.from(lines.start), ...pieces]);
    // The separator ends the last row, which a body without rows does not have.
    return rows > 0 ? whole : whole.subarray(0, whole.length - lines.separator.length);
  }
}

/** The keys of a page of this request; undefined where its format has no place for them. */
export function pageKeysOf(written: WrittenColumns, page: RequestedPage | undefined): PageKeys | undefined {
  const format = FORMATS[written.representation.format];
  return page && 'cut' in format ? new PageKeys(keyedRows(written, format, page.order), page) : undefined;
}

/** Hexadecimal digits of values, `-` for null, and the space between two. */
const isOfKey = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || byte === 0x20 || byte === 0x2d);

const lastRowOf = (key: string): LastRow =>
  key.split(' ').map((value) => (value === NULL_KEY ? null : value));

function requireShort(last: LastRow): LastRow {
  const bytes = last.reduce((sum, value) => sum + 2 + (value?.length ?? 0) / 2, 0);
  if (bytes <= MAX_LAST_ROW_BYTES) return last;
  throw new Failure(
    'ENDPOINT_INVALID',
    'A page of this endpoint ends with a text that is too long for a cursor. Report it to the author of the endpoint: pages.by must name short columns.',
    { diagnosis: `the columns of pages.by have ${bytes} bytes, more than ${MAX_LAST_ROW_BYTES}` },
  );
}

const isSameRow = (a: LastRow, b: LastRow): boolean =>
  a.length === b.length && a.every((value, index) => value?.toLowerCase() === b[index]?.toLowerCase());

/** A page that ends where it began would be followed by itself. */
function endless(order: PageOrder): Failure {
  return new Failure(
    'ENDPOINT_INVALID',
    'This page ends with the last row of the page before it. Report it to the author of the endpoint: pages.by, the types of its columns, or the place of after in the query must be corrected.',
    { diagnosis: `the page does not advance in ${order.map(({ name }) => name).join(', ')}` },
  );
}

function notUnique(order: PageOrder): Failure {
  const names = order.map(({ name }) => name).join(', ');
  return new Failure(
    'PAGES_NOT_UNIQUE',
    `Two rows have the same ${names} where a page ends, so that the next page would leave one out. ` +
      'Report it to the author of the endpoint: pages.by must name columns in which no two rows are equal.',
  );
}
