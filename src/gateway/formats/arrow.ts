import type { FileFormat } from './format.js';
import { withValues } from './value-settings.js';

/** The end of a stream in Arrow's IPC streaming format: a continuation marker and the length 0. */
const END_OF_STREAM = Buffer.from('ffffffff00000000', 'hex');

/** Apache Arrow, in the streaming format. */
export const arrow: FileFormat = {
  mediaType: 'application/vnd.apache.arrow.stream',
  contentType: 'application/vnd.apache.arrow.stream',
  extension: 'arrows',
  isText: false,
  isCompressible: true,
  hasFormulas: false,
  values: 'typed',
  clickHouseFormat: (columns) => ({
    name: 'ArrowStream',
    settings: withValues(
      {
        output_format_arrow_string_as_string: 1,
        output_format_arrow_low_cardinality_as_dictionary: 0,
        // Readers in browsers have no codecs, and HTTP compresses the response.
        output_format_arrow_compression_method: 'none',
      },
      columns,
    ),
  }),
  isComplete: (body) => body.subarray(-END_OF_STREAM.length).equals(END_OF_STREAM),
  describeBody: () => ({ description: 'Bytes.' }),
};
