import type { Endpoint } from '../../endpoint/endpoint.js';

/** The database of the tables that are endpoints. */
export const DATABASE = 'querygate';

/** The name of the table that an endpoint is: tools and people rarely quote names, and not all of them know how to. */
export function tableName({ name }: Pick<Endpoint, 'name'>): string {
  return name.replaceAll(/[.@-]/g, '_');
}

/** @throws Error where two endpoints would be one table */
export function requireOwnNames(endpoints: readonly Endpoint[]): void {
  const byTable = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    if (endpoint.settings.tables !== true) continue;
    const table = tableName(endpoint);
    const other = byTable.get(table);
    if (other) {
      throw new Error(
        `endpoints ${other.name} and ${endpoint.name} would both be the table ${table}: rename one of them, or remove its tables: true`,
      );
    }
    byTable.set(table, endpoint);
  }
}
