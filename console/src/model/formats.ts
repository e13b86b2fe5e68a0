/** An output format for downloads, by its name for `format`. */
export interface Format {
  readonly name: string;
  readonly title: string;
  readonly extension: string;
}

export const FORMATS: readonly Format[] = [
  { name: 'csv', title: 'CSV', extension: 'csv' },
  { name: 'json', title: 'JSON', extension: 'json' },
  { name: 'json-table', title: 'JSON with types', extension: 'json' },
  { name: 'ndjson', title: 'NDJSON', extension: 'ndjson' },
  { name: 'tsv', title: 'TSV', extension: 'tsv' },
  { name: 'parquet', title: 'Parquet', extension: 'parquet' },
  { name: 'arrow', title: 'Arrow', extension: 'arrow' },
];
