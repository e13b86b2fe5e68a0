import { MAX_LAST_ROW_BYTES, NULL_KEY, type LastRow } from '../../endpoint/after-last-row.js';
import type { PageOrder } from '../../endpoint/page-order.js';
import { Failure } from '../errors.js';
import { brokenResponse } from '../formats/broken-response.js';
import { FORMATS } from '../formats/formats.js';
import type { WrittenColumns } from '../formats/written-columns.js';
import type { RequestedPage } from '../query/ports.js';
import { RowKeys } from './row-keys.js';

/** Reads where a page ends, from the keys of its last row and of the one beyond it. */
export class PageKeys {
  constructor(
    readonly rows: RowKeys,
    private readonly page: RequestedPage,
  ) {}

  /**
   * The body without keys, and the last row of the page where there are more rows.
   *
   * @param rows in the body, one more than the cap where there are more
   * @throws Failure PAGES_NOT_UNIQUE, ENDPOINT_INVALID or CLICKHOUSE_ANSWER_BROKEN
   */
  read(
    received: Buffer,
    rows: number,
    rowCap: number,
  ): { readonly body: Buffer; readonly lastRow?: LastRow } {
    const { body, keys } = this.rows.take(received, rows);
    if (keys.length !== Math.max(0, rows - rowCap + 1)) {
      throw brokenResponse(`${keys.length} keys in a page of ${rows} rows, of which ${rowCap} are allowed`);
    }
    const [last, next] = keys;
    if (last === undefined || next === undefined) return { body };
    const { order, last: before } = this.page;
    if (last === next) throw notUnique(order);
    const lastRow = requireShort(lastRowOf(last));
    if (before && isSameRow(before, lastRow)) throw endless(order);
    return { body, lastRow };
  }
}

/** The keys of a page of this request; undefined where its format has no place for them. */
export function pageKeysOf(written: WrittenColumns, page: RequestedPage | undefined): PageKeys | undefined {
  const format = FORMATS[written.representation.format];
  return page && 'cut' in format
    ? new PageKeys(new RowKeys(written, format, page.order, 'last'), page)
    : undefined;
}

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
