import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import type { Endpoint } from '../../../endpoint/endpoint.js';
import { isRejectionOfQuery } from '../../clickhouse/translate-sql-error.js';
import { Catalog } from './catalog.js';
import { queryShapes } from './query-shapes.js';
import { problemOf, Reads } from './reads.js';
import type { Sources } from './sources.js';

/** What every shape of a query that ClickHouse can parse names, and why it cannot parse others. */
export async function sourcesOfShapes(
  { query }: Pick<Endpoint, 'query'>,
  catalog: Catalog,
): Promise<{ readonly sources: readonly Sources[]; readonly problems: readonly string[] }> {
  const shapes = queryShapes(query);
  const trySources = (select: string): Promise<Sources | string> =>
    catalog.sources(select).catch((error: unknown) => {
      if (error instanceof ClickHouseError && !isRejectionOfQuery(error)) throw error;
      return problemOf(error);
    });
  // One request for all shapes. Their columns differ, but only the parser sees them.
  const all = await trySources(shapes.map((shape) => `SELECT * FROM (\n${shape}\n)`).join('\nUNION ALL\n'));
  const results = typeof all === 'string' ? await Promise.all(shapes.map(trySources)) : [all];
  return {
    sources: results.filter((result) => typeof result !== 'string'),
    // The shapes share most of their text, and so their problems.
    problems: results.filter((result) => typeof result === 'string').slice(0, 1),
  };
}

/**
 * The gateway's own tables that an endpoint reads, in any shape of its query, through views, `merge` and engines of tables too, as
 * far as the client's user can see them.
 */
export async function ownTablesOf(endpoint: Endpoint, client: ClickHouseClient): Promise<readonly string[]> {
  const catalog = await Catalog.of(client);
  const reads = new Reads(catalog);
  for (const sources of (await sourcesOfShapes(endpoint, catalog)).sources) await reads.addSources(sources);
  return [...reads.ownTables].sort();
}
