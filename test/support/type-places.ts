import { quoteText } from '../../src/endpoint/quote-sql.js';
import type { Row } from './read-formats.js';
import type { TypeSample } from './sample-types.js';

export const cast = (value: string, type: string): string => `CAST(${value}, ${quoteText(type)})`;

/** SQL of a value of a type, in the place that a name stands for. */
export type Places = Readonly<Record<string, (value: string, type: string) => string>>;

/** Where a value of a type can be: by itself, and inside other types. */
export const PLACES: Places = {
  alone: cast,
  nullable: (value, type) => cast(value, `Nullable(${type})`),
  dictionary: (value, type) => cast(value, `LowCardinality(${type})`),
  aggregate: (value, type) => cast(value, `SimpleAggregateFunction(anyLast, ${type})`),
  list: (value, type) => cast(`[${cast(value, type)}]`, `Array(${type})`),
  nullables: (value, type) => cast(`[${cast(value, type)}, NULL]`, `Array(Nullable(${type}))`),
  map: (value, type) => cast(`map('k', ${cast(value, type)})`, `Map(String, ${type})`),
  pair: (value, type) => cast(`(1, [${cast(value, type)}])`, `Tuple(UInt8, Array(${type}))`),
  record: (value, type) => cast(`tuple(${cast(value, type)})`, `Tuple(\`a b\` ${type})`),
};

/** The places in which ClickHouse accepts a type, and their types. */
export async function placesOf(
  [type, [value = '']]: TypeSample,
  queryRows: (text: string) => Promise<readonly Row[]>,
  places = PLACES,
): Promise<ReadonlyMap<string, string>> {
  const accepted = await Promise.all(
    Object.entries(places).map(([name, place]) =>
      queryRows(`DESCRIBE (SELECT ${place(value, type)} AS c)`).then(
        ([described]) => [[name, String(described?.['type'])] as const],
        () => [],
      ),
    ),
  );
  return new Map(accepted.flat());
}

/** A row for each value, and one with a null where a null can be. */
export function selectOf([type, values]: TypeSample, names: readonly string[], places = PLACES): string {
  const rows = [...values, 'NULL'].map((value, at) => {
    const list = names.map((name) => {
      const isPossible = value !== 'NULL' || name === 'nullable' || values.includes('NULL');
      return `${places[name]?.(isPossible ? value : (values[0] ?? ''), type) ?? ''} AS ${name}`;
    });
    return `SELECT ${at} AS at, ${list.join(', ')}`;
  });
  return `SELECT * FROM (${rows.join(' UNION ALL ')}) ORDER BY at`;
}
