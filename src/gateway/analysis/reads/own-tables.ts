import { ClickHouseError } from '@clickhouse/client';

import type { Endpoint } from '../../../endpoint/endpoint.js';
import { isRejectionOfQuery } from '../../clickhouse/translate-sql-error.js';
import { readQueryFacts, type QueryFacts } from '../../facts/query-facts.js';
import type { Catalog } from './catalog.js';
import { problemOf, Reads } from './reads.js';

/** Reads the facts of an endpoint. @throws Error where ClickHouse does not analyse it */
export const factsOfEndpoint = (endpoint: Endpoint, { lines }: Catalog): Promise<QueryFacts> =>
  readQueryFacts(endpoint, lines, (error) => {
    if (error instanceof ClickHouseError && !isRejectionOfQuery(error)) throw error;
    return problemOf(error);
  });

/**
 * The gateway's own tables that an endpoint reads, in any shape of its query, through views, `merge` and engines of tables too, as
 * far as the client's user can see them.
 */
export async function ownTablesOf(endpoint: Endpoint, catalog: Catalog): Promise<readonly string[]> {
  const reads = new Reads(catalog);
  await reads.add((await factsOfEndpoint(endpoint, catalog)).facts);
  return [...reads.ownTables].sort();
}
