import type { Endpoint } from '../../endpoint/endpoint.js';

/** Database of the endpoints' tables. */
export const DATABASE = 'querygate';

/** Name of an endpoint's table, which needs no quotes: tools and people rarely quote names. */
export function tableName({ name }: Pick<Endpoint, 'name'>): string {
  return name.replaceAll(/[.@-]/g, '_');
}

/** Requires that no two endpoints have the same table name. @throws Error */
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
