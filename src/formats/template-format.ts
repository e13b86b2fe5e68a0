import type { ClickHouseSettings } from '@clickhouse/client';

import type { Column } from '../endpoint/definition.js';
import type { Format } from './representation.js';

/** Stands between two rows and nowhere else: JSON escapes a line feed inside a value. */
export const ROW_SEPARATOR = ',\n';
/** The same where each row is a document of its own. */
export const LINE_SEPARATOR = '\n';

export const RESULT_START = '{"result":[';
export const RESULT_END = ']}';

/**
 * ClickHouse's `Template` format, set so that it writes the body of an answer itself, a row a line. The closing `]}` is
 * what tells a complete body from one that was cut.
 */
export function resultFormatSettings(
  columns: ReadonlyMap<string, Column>,
  separator = ROW_SEPARATOR,
): ClickHouseSettings {
  return templateSettings(
    [...columns].map(
      ([name, { holdsJson }]) => `${JSON.stringify(name)}:\${${name}:${holdsJson ? 'Raw' : 'JSON'}}`,
    ),
    separator,
  );
}

/** The same for columns that only ClickHouse knows, whose names can hold anything: by their places. */
export function resultFormatOf(names: readonly string[], separator = ROW_SEPARATOR): ClickHouseSettings {
  const fields = names.map(
    (name, place) => `${JSON.stringify(name).replaceAll('$', '$$$$')}:\${${place}:JSON}`,
  );
  return { ...templateSettings(fields, separator), ...UNKNOWN_TYPES };
}

/** Beside text, numbers and times, a caller's own SQL can give types that the endpoints have not. */
export const UNKNOWN_TYPES: ClickHouseSettings = {
  output_format_json_quote_decimals: 0,
  output_format_json_named_tuples_as_objects: 1,
  output_format_json_map_as_array_of_tuples: 0,
};

/** How values are written, whatever the format. Defaults of these have changed between releases of ClickHouse. */
const VALUES: ClickHouseSettings = {
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  output_format_json_escape_forward_slashes: 0,
};

function templateSettings(fields: readonly string[], separator: string): ClickHouseSettings {
  return {
    format_template_resultset_format: `${RESULT_START}\${data}${RESULT_END}`,
    format_template_row_format: `{${fields.join(',')}}`,
    format_template_rows_between_delimiter: separator,
    ...VALUES,
  };
}

/** A format of ClickHouse's own that an answer is written in. */
export interface OwnFormat {
  readonly name: string;
  readonly settings: ClickHouseSettings;
}

/** The formats that are ClickHouse's own, set for what most readers know. */
export const OWN_FORMATS: Readonly<Record<Exclude<Format, 'json' | 'json-table' | 'ndjson'>, OwnFormat>> = {
  csv: {
    name: 'CSVWithNames',
    settings: {
      ...VALUES,
      format_csv_delimiter: ',',
      // Text is always in quotes: "" is the empty text, nothing at all is null.
      format_csv_null_representation: '',
      output_format_csv_crlf_end_of_line: 1,
    },
  },
  tsv: {
    name: 'TabSeparatedWithNames',
    settings: { ...VALUES, format_tsv_null_representation: '\\N', output_format_tsv_crlf_end_of_line: 0 },
  },
  parquet: {
    name: 'Parquet',
    settings: {
      ...VALUES,
      output_format_parquet_string_as_string: 1,
      // What every reader has on board.
      output_format_parquet_compression_method: 'snappy',
    },
  },
  arrow: {
    name: 'ArrowStream',
    settings: {
      ...VALUES,
      output_format_arrow_string_as_string: 1,
      output_format_arrow_low_cardinality_as_dictionary: 0,
      // Readers in browsers have no codecs; HTTP compresses.
      output_format_arrow_compression_method: 'none',
    },
  },
};
