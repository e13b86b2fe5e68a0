import { MAX_LAST_ROW_BYTES, NULL_KEY, type LastRow } from '../../endpoint/after-last-row.js';
import type { PageOrder } from '../../endpoint/page-order.js';
import type { BucketColumn } from '../../endpoint/pieces.js';
import { Failure } from '../errors.js';
import { brokenResponse } from '../formats/broken-response.js';
import type { RowFormat } from '../formats/format.js';
import type { WrittenColumns } from '../formats/written-columns.js';
import type { BucketsOfRows, QueryRequest, QueryResult, RequestedPage } from '../query/ports.js';
import { RowKeys } from './row-keys.js';

/** Rows with keys, and the function that reads the keys. */
interface KeyedBody {
  readonly rows: RowKeys;
  /**
   * Returns the body without keys, and the facts from the keys: the last row of a page if more rows follow, or the buckets of a piece.
   *
   * @param count number of rows in the body, which is one more than the cap if more rows follow
   * @throws Failure PAGES_NOT_UNIQUE, ENDPOINT_INVALID or CLICKHOUSE_ANSWER_BROKEN
   */
  readonly read: (
    received: Buffer,
    count: number,
    rowCap: number,
  ) => Pick<QueryResult, 'body' | 'lastRow' | 'buckets'>;
}

/** Keys for the rows of a page or piece. Undefined for other rows, which have no keys. */
export function keysOf(
  written: WrittenColumns,
  format: RowFormat,
  { page, bucket }: Pick<QueryRequest, 'page' | 'bucket'>,
): KeyedBody | undefined {
  if (page) {
    const rows = new RowKeys(written, format, page.order, 'last');
    return {
      rows,
      read: (received, count, rowCap) => {
        const { body, keys } = rows.take(received, count);
        const lastRow = lastRowOf(keys, count, rowCap, page);
        return lastRow ? { body, lastRow } : { body };
      },
    };
  }
  if (!bucket) return undefined;
  const rows = new RowKeys(written, format, [bucket], 'all');
  return {
    rows,
    read: (received, count) => {
      const { body, keys } = rows.take(received, count);
      return { body, buckets: bucketsOf(keys, count, bucket) };
    },
  };
}

/** Last row of a page, from its key and the key of the row after it. Undefined where no row follows. */
function lastRowOf(
  keys: readonly string[],
  count: number,
  rowCap: number,
  { order, last: before }: RequestedPage,
): LastRow | undefined {
  if (keys.length !== Math.max(0, count - rowCap + 1)) {
    throw brokenResponse(`${keys.length} keys in a page of ${count} rows, of which ${rowCap} are allowed`);
  }
  const [last, next] = keys;
  if (last === undefined || next === undefined) return undefined;
  if (last === next) throw notUnique(order);
  const lastRow = requireShort(last.split(' ').map((value) => (value === NULL_KEY ? null : value)));
  if (before && isSameRow(before, lastRow)) throw endless(order);
  return lastRow;
}

function bucketsOf(keys: readonly string[], count: number, { isDescending }: BucketColumn): BucketsOfRows {
  if (keys.length !== count) throw brokenResponse(`${keys.length} keys of ${count} rows`);
  const isOrdered = keys.every((key, index) => {
    const before = keys[index - 1] ?? key;
    return isDescending ? before >= key : before <= key;
  });
  return { isOrdered, first: keys[0], last: keys.at(-1) };
}

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

/** Failure of a page that ends where it began, because its next page would be the same page again. */
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
