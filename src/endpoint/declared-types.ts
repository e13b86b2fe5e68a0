import type { Column } from './definition.js';
import { quoteName, quoteText } from './quote-sql.js';
import { withoutZones, ZONE } from './type-name.js';

/** Columns by name, as they are declared. */
export type DeclaredTypes = ReadonlyMap<string, Pick<Column, 'type'>>;

/** The error of ClickHouse where columns have other types than declared: UNKNOWN_ELEMENT_OF_ENUM. */
export const OTHER_TYPES = '691';

/** The error of ClickHouse where a row has a null that the declared type cannot have: CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN. */
export const NULL_IN_COLUMN = '349';

/**
 * SQL that is true. ClickHouse computes it while it analyses the query, which it rejects where a column has another type than
 * declared, because the enum has no such element. Neither rows nor the plan depend on it.
 *
 * @param rows name of the subquery with the columns
 */
export function haveTypes(columns: DeclaredTypes, rows: string): string {
  const type = tupleType(columns);
  const values = [...columns.keys()].map((name) => `${rows}.${quoteName(name)}`);
  const real = typeOf(`tuple(${values.join(', ')})`, type);
  return `CAST(${real}, ${quoteText(`Enum8(${quoteText(withoutZones(type))} = 1)`)}) = 1`;
}

/**
 * What stands before and after a query, so that its columns are converted to the declared types. ClickHouse rejects it where the
 * declared type cannot have every value of the real one: where it is not the common type of both. So a UInt8 is returned as UInt64, but
 * not a UInt64 as UInt32. A null fails where the declared type has none: {@link NULL_IN_COLUMN}.
 */
export function conversionTo(columns: DeclaredTypes): { readonly before: string; readonly after: string } {
  const list = [...columns].map(([name, { type }]) => {
    const column = quoteName(name);
    return `CAST(${OF}.${column}, ${quoteText(type)}) AS ${column}`;
  });
  const type = tupleType(columns).replaceAll(LOW_CARDINALITY, '$1');
  const real = [...columns].map(([name, { type: declared }]) => {
    const column = `${OF}.${quoteName(name)}`;
    return HAS_NULLS.test(declared) ? column : `assumeNotNull(${column})`;
  });
  const values = `defaultValueOfTypeName(${quoteText(type)})`;
  // A type of the header can be written otherwise than ClickHouse does.
  const [common, own] = [`tuple(${real.join(', ')})`, values].map((of) => typeOf(`[${of}, ${values}]`, type));
  const check = `CAST(if(${common} = ${own}, 'same', 'other'), 'Enum8(\\'same\\' = 1)') = 1`;
  return { before: `SELECT ${list.join(', ')} FROM (\n`, after: `\n) AS ${OF}\nWHERE ${check}` };
}

/** Alias of the query that is converted. */
const OF = 'unconverted';

const HAS_NULLS = /^(?:LowCardinality\()?Nullable|^Variant|^Dynamic|^JSON|^Object/;

/** A common type is none. */
const LOW_CARDINALITY = /LowCardinality\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g;

const tupleType = (columns: DeclaredTypes): string =>
  `Tuple(${[...columns.values()].map(({ type }) => type).join(', ')})`;

/** The name of the type of a value, without zones: a query can have one from a parameter, and every format has times in UTC. */
function typeOf(value: string, declared: string): string {
  const name = `toTypeName(${value})`;
  if (!declared.includes('DateTime')) return name;
  return `replaceRegexpAll(${name}, ${quoteText(ZONE.source)}, ${quoteText(String.raw`\1\3`)})`;
}
