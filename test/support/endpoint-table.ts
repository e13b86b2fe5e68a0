import { column } from '../../src/endpoint/definition.js';
import type { EndpointTable } from '../../src/gateway/tables/catalogue.js';

/** A table of an endpoint. */
export function endpointTable(
  table: string,
  summary: string,
  columns: readonly (readonly [name: string, type: string, meaning?: string])[],
  missing: readonly string[] = [],
): EndpointTable {
  const described = columns.map(([name, type, meaning = '']) => [name, column(type, meaning)] as const);
  const endpoint = { columns: new Map(described), parameters: new Map(), optionalColumns: new Map() };
  return { table, endpoint: { summary, settings: {}, ...endpoint }, missing };
}
