import type { FileFormat } from './format.js';
import { withValues } from './value-settings.js';

/** End of a stream (Arrow's IPC streaming format): the mark of a continuation, and no message. */
const END_OF_STREAM = Buffer.from('ffffffff00000000', 'hex');

/** Apache Arrow, as a stream. */
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
        // Readers in browsers have no codecs; HTTP compresses.
        output_format_arrow_compression_method: 'none',
      },
      columns,
    ),
  }),
  isComplete: (body) => body.subarray(-END_OF_STREAM.length).equals(END_OF_STREAM),
  describeBody: () => ({ description: 'Bytes.' }),
};
