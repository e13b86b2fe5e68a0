import type { Values } from './values.js';
import { revealed } from './parameters/secret-value.js';
import { quoteName, quoteText } from './quote-sql.js';
import type { TenantFilter } from './sql.js';

/**
 * The setting by which ClickHouse applies the filters of a caller's pinned parameters wherever it reads their tables, below
 * every expression of the query. Nothing without pinned parameters. A setting takes no bound values, so that they are quoted.
 */
export function tenantSettings(
  filters: readonly TenantFilter[] = [],
  values: Values,
  pinned: ReadonlySet<string>,
): Record<string, string> {
  const conditionsByTable = new Map<string, string[]>();
  for (const { table, column, reference } of filters.filter((filter) => pinned.has(filter.reference.name))) {
    const value = revealed(values.get(reference.name)) ?? null;
    const condition =
      value === null
        ? 'false'
        : `${quoteName(column)} = CAST(${quoteText(String(value))}, ${quoteText(reference.type)})`;
    conditionsByTable.set(table, [...(conditionsByTable.get(table) ?? []), condition]);
  }
  if (conditionsByTable.size === 0) return {};
  const entries = [...conditionsByTable].map(
    ([table, conditions]) => `${quoteText(table)}:${quoteText(conditions.join(' AND '))}`,
  );
  return { additional_table_filters: `{${entries.join(',')}}` };
}
