export const SOURCE_FORMATS = ['ndjson', 'csv', 'tsv'] as const;

/** How the bytes of a source are divided into rows. */
export type SourceFormat = (typeof SOURCE_FORMATS)[number];

/** The format by a file's name: `orders.csv.gz` is CSV. NDJSON for every other name, and for standard input. */
export function formatOfName(file: string): SourceFormat {
  const [, ending] = /\.(csv|tsv)(?:\.gz)?$/i.exec(file) ?? [];
  return SOURCE_FORMATS.find((format) => format === ending?.toLowerCase()) ?? 'ndjson';
}
