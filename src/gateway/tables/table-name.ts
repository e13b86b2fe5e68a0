import type { Endpoint } from '../../endpoint/endpoint.js';

/** The database of the tables that are endpoints. */
export const DATABASE = 'querygate';

/** The name of the table that an endpoint is: tools and people rarely quote names, and not all of them know how to. */
export function tableName({ name }: Pick<Endpoint, 'name'>): string {
  return name.replaceAll(/[.@-]/g, '_');
}

/** Two endpoints that would be one table; undefined where there are none. */
export function clashOfTables(endpoints: readonly Endpoint[]): readonly [Endpoint, Endpoint] | undefined {
  const byTable = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    if (endpoint.settings.tables !== true) continue;
    const table = tableName(endpoint);
    const other = byTable.get(table);
    if (other) return [other, endpoint];
    byTable.set(table, endpoint);
  }
  return undefined;
}
