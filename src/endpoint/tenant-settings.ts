import type { Values } from './values.js';
import { revealed } from './parameters/secret-value.js';
import { quoteName, quoteText } from './quote-sql.js';
import type { TenantFilter } from './sql.js';

/**
 * The conditions of a caller's pinned parameters, by table; nothing without them. A setting takes no bound values, so that they are
 * quoted.
 */
export function tenantConditions(
  filters: readonly TenantFilter[] = [],
  values: Values,
  pinned: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const conditionsByTable = new Map<string, string[]>();
  for (const { table, column, reference } of filters.filter((filter) => pinned.has(filter.reference.name))) {
    const value = revealed(values.get(reference.name)) ?? null;
    const condition =
      value === null
        ? 'false'
        : `${quoteName(column)} = CAST(${quoteText(String(value))}, ${quoteText(reference.type)})`;
    conditionsByTable.set(table, [...(conditionsByTable.get(table) ?? []), condition]);
  }
  return new Map([...conditionsByTable].map(([table, conditions]) => [table, conditions.join(' AND ')]));
}

/**
 * The value of `additional_table_filters`, by which ClickHouse applies a condition wherever it reads a table, below every
 * expression of the query.
 */
export function tableFilters(conditions: ReadonlyMap<string, string>): string {
  const entries = [...conditions].map(([table, condition]) => `${quoteText(table)}:${quoteText(condition)}`);
  return `{${entries.join(',')}}`;
}

/** The setting with the filters of a caller's pinned parameters; nothing without them. */
export function tenantSettings(conditions: ReadonlyMap<string, string>): Record<string, string> {
  return conditions.size === 0 ? {} : { additional_table_filters: tableFilters(conditions) };
}
