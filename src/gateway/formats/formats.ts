import { arrow } from './arrow.js';
import { csv } from './csv.js';
import type { OutputFormat } from './format.js';
import { jsonTable } from './json-table.js';
import { json } from './json.js';
import { ndjson } from './ndjson.js';
import { parquet } from './parquet.js';
import { prometheus } from './prometheus.js';
import { tsv } from './tsv.js';

/** The formats of results with any columns; the first is the default. */
const OF_ANY_COLUMNS = { json, 'json-table': jsonTable, ndjson, csv, tsv, parquet, arrow };

/** Every output format, by the name that `?format=` takes. */
const BY_NAME = { ...OF_ANY_COLUMNS, prometheus } satisfies Record<string, OutputFormat>;

export type FormatName = keyof typeof BY_NAME;

export const FORMATS: Readonly<Record<FormatName, OutputFormat>> = BY_NAME;

export const EVERY_FORMAT_NAME = Object.keys(BY_NAME) as readonly FormatName[];

/** The formats that can hold any columns, from which `Accept` chooses. */
export const FORMAT_NAMES = Object.keys(OF_ANY_COLUMNS) as readonly (keyof typeof OF_ANY_COLUMNS)[];
