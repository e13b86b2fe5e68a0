import { arrow } from './arrow.js';
import { csv } from './csv.js';
import type { OutputFormat } from './format.js';
import { jsonTable } from './json-table.js';
import { json } from './json.js';
import { ndjson } from './ndjson.js';
import { parquet } from './parquet.js';
import { tsv } from './tsv.js';

/** Every output format, by the name that `?format=` takes; the first is the default. */
const BY_NAME = { json, 'json-table': jsonTable, ndjson, csv, tsv, parquet, arrow } satisfies Record<
  string,
  OutputFormat
>;

export type FormatName = keyof typeof BY_NAME;

export const FORMATS: Readonly<Record<FormatName, OutputFormat>> = BY_NAME;

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[];
