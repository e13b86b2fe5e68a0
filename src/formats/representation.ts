/** How the rows of an answer are written, as callers name it. */
export const FORMATS = ['json', 'json-table', 'ndjson', 'csv', 'tsv', 'parquet', 'arrow'] as const;

export type Format = (typeof FORMATS)[number];

/** How a column of times is written: ISO 8601, or whole microseconds since 1970. */
export const TIMES = ['iso', 'unix-micros'] as const;

export type Times = (typeof TIMES)[number];

/** What a format is to those that send it. */
export interface FormatFacts {
  /** The bare media type, as `Accept` names it. */
  readonly mediaType: string;
  readonly contentType: string;
  /** Of a file that holds it. */
  readonly extension: string;
  /** Whether its bytes get smaller by compressing them. */
  readonly isCompressible: boolean;
  /** Whether its times are values of a type of their own, whatever is asked for. */
  readonly hasTypedTimes: boolean;
}

const TEXT = { isCompressible: true, hasTypedTimes: false };

/** Media types; those of CSV have to say that there is a header (RFC 4180). */
export const FORMAT_FACTS: Readonly<Record<Format, FormatFacts>> = {
  json: {
    ...TEXT,
    mediaType: 'application/json',
    contentType: 'application/json; charset=utf-8',
    extension: 'json',
  },
  'json-table': {
    ...TEXT,
    mediaType: 'application/vnd.querygate.table+json',
    contentType: 'application/vnd.querygate.table+json',
    extension: 'table.json',
  },
  ndjson: {
    ...TEXT,
    mediaType: 'application/x-ndjson',
    contentType: 'application/x-ndjson',
    extension: 'ndjson',
  },
  csv: {
    ...TEXT,
    mediaType: 'text/csv',
    contentType: 'text/csv; charset=utf-8; header=present',
    extension: 'csv',
  },
  tsv: {
    ...TEXT,
    mediaType: 'text/tab-separated-values',
    contentType: 'text/tab-separated-values; charset=utf-8',
    extension: 'tsv',
  },
  parquet: {
    mediaType: 'application/vnd.apache.parquet',
    contentType: 'application/vnd.apache.parquet',
    extension: 'parquet',
    isCompressible: false,
    hasTypedTimes: true,
  },
  arrow: {
    mediaType: 'application/vnd.apache.arrow.stream',
    contentType: 'application/vnd.apache.arrow.stream',
    extension: 'arrows',
    isCompressible: true,
    hasTypedTimes: true,
  },
};

/** One of the few ways in which an answer's bytes can be written; equal ones are the same object. */
export interface Representation {
  /** Stands in cache keys and between gateways: what it means never changes. */
  readonly name: string;
  readonly format: Format;
  readonly times: Times;
  /** Whether cells that a spreadsheet would run are made harmless; of CSV only. */
  readonly formulaSafe: boolean;
}

/** Every representation, by name. */
export const REPRESENTATIONS: ReadonlyMap<string, Representation> = new Map(
  FORMATS.flatMap((format) =>
    TIMES.flatMap((times) =>
      [false, true].map((formulaSafe) => {
        const representation = normalised({ format, times, formulaSafe });
        return [representation.name, representation] as const;
      }),
    ),
  ),
);

/** The one that does what is asked, as far as it makes a difference to the format. */
export function representationOf(
  format: Format,
  { times = 'iso', formulaSafe = false }: { readonly times?: Times; readonly formulaSafe?: boolean } = {},
): Representation {
  const { name } = normalised({ format, times, formulaSafe });
  const representation = REPRESENTATIONS.get(name);
  if (!representation) throw new Error(`there is no representation ${name}`);
  return representation;
}

/** What a question asks for that says nothing of it. */
export const JSON_REPRESENTATION = representationOf('json');

function normalised(asked: Omit<Representation, 'name'>): Representation {
  const { format } = asked;
  const times = FORMAT_FACTS[format].hasTypedTimes ? 'iso' : asked.times;
  const formulaSafe = format === 'csv' && asked.formulaSafe;
  const name = [format, ...(times === 'iso' ? [] : [times]), ...(formulaSafe ? ['formula-safe'] : [])];
  return { name: name.join(';'), format, times, formulaSafe };
}
