import type { Column } from './definition.js';
import { quoteName, quoteText } from './quote-sql.js';
import { withoutZones, ZONE } from './type-name.js';

/** The declared columns by name. */
export type DeclaredTypes = ReadonlyMap<string, Pick<Column, 'type'>>;

/** The error of ClickHouse where columns have other types than declared: UNKNOWN_ELEMENT_OF_ENUM. */
export const OTHER_TYPES = '691';

/**
 * ClickHouse's errors for a value outside the declared type, which occur only when rows are read:
 * CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN and CANNOT_CONVERT_TYPE.
 */
export const OTHER_VALUES: ReadonlySet<string> = new Set(['349', '70']);

/**
 * SQL that is true. ClickHouse computes it while it analyses the query, which it rejects where a column has another type than
 * declared, because the enum has no such element. Neither rows nor the plan depend on it.
 *
 * @param rows name of the subquery with the columns
 */
export function haveTypes(columns: DeclaredTypes, rows: string): string {
  const type = `Tuple(${[...columns.values()].map((column) => column.type).join(', ')})`;
  const values = [...columns.keys()].map((name) => `${rows}.${quoteName(name)}`);
  const real = typeOf(`tuple(${values.join(', ')})`, type);
  return `CAST(${real}, ${quoteText(`Enum8(${quoteText(withoutZones(type))} = 1)`)}) = 1`;
}

/**
 * The text before and after a query that converts its columns to the declared types, each value without loss. ClickHouse rejects the
 * query where the declared type is not the common type of both. A null, or an integer outside the declared type, fails when it is
 * read: {@link OTHER_VALUES}.
 */
export function conversionTo(columns: DeclaredTypes): { readonly before: string; readonly after: string } {
  const converted = [...columns].map(([name, { type }]) => {
    const column = `${OF}.${quoteName(name)}`;
    const isInteger = INTEGER.test(type);
    const value = HAS_NULLS.test(type) ? column : `assumeNotNull(${column})`;
    return {
      sql: `${isInteger ? 'accurateCast' : 'CAST'}(${column}, ${quoteText(type)}) AS ${quoteName(name)}`,
      // Only of integers there is a greatest common divisor.
      value: isInteger ? `toInt256(gcd(${value}, 1))` : value,
      type: isInteger
        ? type.replace(INTEGER, (_type, nullable = '') => `${String(nullable)}Int256`)
        : type.replaceAll(LOW_CARDINALITY, '$1'),
    };
  });
  const list = converted.map(({ sql }) => sql).join(', ');
  const type = `Tuple(${converted.map((column) => column.type).join(', ')})`;
  const values = `defaultValueOfTypeName(${quoteText(type)})`;
  const real = `tuple(${converted.map(({ value }) => value).join(', ')})`;
  // A type of the header can be written otherwise than ClickHouse does.
  const [common, own] = [real, values].map((of) => typeOf(`[${of}, ${values}]`, type));
  const check = `CAST(if(${common} = ${own}, 'same', 'other'), ${quoteText(`Enum8('same' = 1)`)}) = 1`;
  return { before: `SELECT ${list} FROM (\n`, after: `\n) AS ${OF}\nWHERE ${check}` };
}

/** Alias of the query that is converted. */
const OF = 'unconverted';

const INTEGER = /^(Nullable\()?U?Int\d+(?=\)?$)/;
const HAS_NULLS = /^(?:LowCardinality\()?Nullable|^Variant|^Dynamic|^JSON|^Object/;

/** Matches LowCardinality, which a common type never has. */
const LOW_CARDINALITY = /LowCardinality\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g;

/** The name of the type of a value, without zones: a query can have one from a parameter, and every format has times in UTC. */
function typeOf(value: string, declared: string): string {
  const name = `toTypeName(${value})`;
  if (!declared.includes('DateTime')) return name;
  return `replaceRegexpAll(${name}, ${quoteText(ZONE.source)}, ${quoteText(String.raw`\1\3`)})`;
}
