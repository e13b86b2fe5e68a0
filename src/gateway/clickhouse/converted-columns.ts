import { ClickHouseError } from '@clickhouse/client';

import type { BoundQuery } from '../../endpoint/bind.js';
import {
  conversionTo,
  OTHER_VALUES,
  OTHER_TYPES,
  type DeclaredTypes,
} from '../../endpoint/declared-types.js';
import type { WrittenColumns } from '../formats/written-columns.js';
import { isOfDefinition } from './definition-errors.js';

/** Whether ClickHouse rejects a query itself, or the types or values of its columns. */
export const isOfColumns = (error: unknown): error is ClickHouseError =>
  error instanceof ClickHouseError &&
  (isOfDefinition(error.code) || error.code === OTHER_TYPES || OTHER_VALUES.has(error.code));

/** Query with its columns converted to the declared types. */
export function converted(query: BoundQuery, columns: DeclaredTypes): BoundQuery {
  const { before, after } = conversionTo(columns);
  return { ...query, text: before + query.text + after, isConverted: true };
}

/** Columns whose query returned other types than declared, which could be converted. The next calls convert at once. */
const CONVERTED = new WeakSet<WrittenColumns>();

/**
 * Runs a query unchanged first, because a conversion takes ClickHouse time. If ClickHouse rejects it because its columns have other types
 * than declared, runs it again with converted columns.
 *
 * @throws the error of `run`. ClickHouse rejects values that cannot be converted without loss
 */
export async function withDeclaredTypes<T>(
  written: WrittenColumns,
  query: BoundQuery,
  run: (query: BoundQuery) => Promise<T>,
): Promise<T> {
  const { declared } = written.columns;
  if (declared === 'unknown') return await run(query);
  if (CONVERTED.has(written)) return await run(converted(query, declared));
  try {
    return await run(query);
  } catch (error) {
    if (!(error instanceof ClickHouseError) || error.code !== OTHER_TYPES) throw error;
    const result = await run(converted(query, declared));
    CONVERTED.add(written);
    return result;
  }
}
