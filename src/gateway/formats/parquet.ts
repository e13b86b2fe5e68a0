import type { FileFormat } from './format.js';
import { withValues } from './value-settings.js';

/** The first and the last four bytes of every Parquet file. */
const MAGIC = Buffer.from('PAR1');

/** Apache Parquet. */
export const parquet: FileFormat = {
  mediaType: 'application/vnd.apache.parquet',
  contentType: 'application/vnd.apache.parquet',
  extension: 'parquet',
  isText: false,
  isCompressible: false,
  hasFormulas: false,
  values: 'typed',
  clickHouseFormat: (columns) => ({
    name: 'Parquet',
    settings: withValues(
      {
        output_format_parquet_string_as_string: 1,
        // Every reader supports Snappy.
        output_format_parquet_compression_method: 'snappy',
      },
      columns,
    ),
  }),
  isComplete: (body) =>
    body.length > 2 * MAGIC.length &&
    body.subarray(0, MAGIC.length).equals(MAGIC) &&
    body.subarray(-MAGIC.length).equals(MAGIC),
  describeBody: () => ({ description: 'Bytes.' }),
};
