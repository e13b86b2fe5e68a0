import type { BucketColumn } from '../../endpoint/pieces.js';
import { brokenResponse } from '../formats/broken-response.js';
import { FORMATS } from '../formats/formats.js';
import type { WrittenColumns } from '../formats/written-columns.js';
import type { BucketsOfRows } from '../query/ports.js';
import { RowKeys } from './row-keys.js';

/** Reads the buckets of the rows of a piece. */
export class BucketKeys {
  constructor(
    readonly rows: RowKeys,
    private readonly bucket: BucketColumn,
  ) {}

  /**
   * The body without keys, and the buckets.
   *
   * @throws Failure CLICKHOUSE_ANSWER_BROKEN
   */
  read(received: Buffer, rows: number): { readonly body: Buffer; readonly buckets: BucketsOfRows } {
    const { body, keys } = this.rows.take(received, rows);
    if (keys.length !== rows) throw brokenResponse(`${keys.length} keys of ${rows} rows`);
    const { isDescending } = this.bucket;
    const isOrdered = keys.every((key, index) => {
      const before = keys[index - 1] ?? key;
      return isDescending ? before >= key : before <= key;
    });
    return { body, buckets: { isOrdered, first: keys[0], last: keys.at(-1) } };
  }
}

/** The buckets of the rows of a piece; undefined where no buckets are wanted. */
export function bucketKeysOf(
  written: WrittenColumns,
  bucket: BucketColumn | undefined,
): BucketKeys | undefined {
  const format = FORMATS[written.representation.format];
  return bucket && 'cut' in format
    ? new BucketKeys(new RowKeys(written, format, [bucket], 'all'), bucket)
    : undefined;
}
