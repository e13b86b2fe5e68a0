import { sql, type Sql } from './sql.js';

/**
 * The key of a rollup for a value that can be null: empty for null, else `=` and the value. Keys sort as the values do
 * with nulls first, byte by byte.
 */
export const keyOf = (value: Sql): Sql => sql`if(isNull(${value}), '', concat('=', ${value}))`;

/** The value of a key, as a `Nullable(String)`. */
export const valueOf = (key: Sql): Sql => sql`if(${key} = '', NULL, substring(${key}, 2))`;
