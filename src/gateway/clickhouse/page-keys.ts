import { randomUUID } from 'node:crypto';

import type { BoundQuery } from '../../endpoint/bind.js';
import { MAX_LAST_ROW_BYTES, textOfValue, type LastRow } from '../../endpoint/after.js';
import type { PageOrder } from '../../endpoint/page-order.js';
import { quoteName } from '../../endpoint/quote-sql.js';
import { ROW_LIMIT } from '../../endpoint/reserved.js';
import { Failure } from '../errors.js';
import { brokenResponse } from '../formats/broken-response.js';
import { endOfLines } from '../formats/exported-rows.js';
import type { ClickHouseFormat, RowFormat } from '../formats/format.js';
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

/**
 * Reads where a page ends. ClickHouse writes the key of the last row of the page, and that of the row beyond it, after these two
 * rows, in a form from which it makes the same values again: whatever the format rounds or cannot hold, the key has. Keys are
 * removed from the body, whose bytes are then those that ClickHouse writes without them.
 */
export class PageKeys {
  /** Nothing that a row contains by chance. */
  private readonly mark = `page${randomUUID().replaceAll('-', '')}`;

  constructor(
    private readonly written: WrittenColumns,
    private readonly format: RowFormat,
    private readonly page: RequestedPage,
  ) {}

  /** The query, whose last column is the key; empty in other rows. */
  query(bound: BoundQuery): BoundQuery {
    const { representation, columns } = this.written;
    const values = this.page.order.map((column) => {
      return `ifNull(${textOfValue(column, `${ROWS}.${quoteName(column.name)}`)}, '-')`;
    });
    const key = [
      `{${MARK}:String}`,
      ...values.flatMap((value, index) => (index === 0 ? [value] : ["' '", value])),
    ];
    // The query ends with the limit, so that its rows come in one stream, in order.
    const ofLast = `if(rowNumberInAllBlocks() + 2 < {${ROW_LIMIT}:UInt64}, '', concat(${key.join(', ')})) AS ${KEY}`;
    const options = { values: this.format.values, times: representation.times };
    const { text } = projectColumns(columns.described, options, [ofLast])(bound);
    return { ...bound, text, parameters: { ...bound.parameters, [MARK]: this.mark } };
  }

  /** How ClickHouse writes the rows, each with its key after it. */
  get clickHouseFormat(): ClickHouseFormat {
    const { clickHouseFormat: own, columns, representation } = this.written;
    const key = `\${${KEY}:Raw}`;
    if (own.name === 'Template')
      return { ...own, settings: { ...own.settings, [ROW]: `${own.settings[ROW] ?? ''}${key}` } };
    // The formats of lines have no place for a text that is no field.
    const { row, separator, settings } = this.format.exportRows(columns, representation.times);
    return {
      name: 'Template',
      settings: withValues(
        {
          format_template_resultset_format: `\${data}${separator}`,
          [ROW]: `${row}${key}`,
          format_template_rows_between_delimiter: separator,
          ...settings,
        },
        columns,
      ),
    };
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
    if (this.written.clickHouseFormat.name === 'Template') return Buffer.concat(pieces);
    const { start, separator } = this.format.exportRows(
      this.written.columns,
      this.written.representation.times,
    );
    const whole = Buffer.concat([Buffer.from(start), ...pieces]);
    // The separator ends the last row, which a body without rows does not have.
    const end = endOfLines(separator)({ rowCount: rows, cost: undefined });
    return end === '' ? whole.subarray(0, whole.length - separator.length) : whole;
  }
}

/** The keys of a page of this request; undefined where its format has no place for them. */
export function pageKeysOf(written: WrittenColumns, page: RequestedPage | undefined): PageKeys | undefined {
  const format = FORMATS[written.representation.format];
  return page && 'cut' in format ? new PageKeys(written, format, page) : undefined;
}

/** Hexadecimal digits of values, `-` for null, and the space between two. */
const isOfKey = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || byte === 0x20 || byte === 0x2d);

const lastRowOf = (key: string): LastRow => key.split(' ').map((value) => (value === '-' ? null : value));

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
