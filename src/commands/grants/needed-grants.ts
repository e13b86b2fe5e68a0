import type { Endpoint } from '../../endpoint/endpoint.js';
import { withClient } from '../clickhouse/with-client.js';
import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { Catalog } from '../../gateway/analysis/reads/catalog.js';
import { sortedGrants, type Grant } from '../../gateway/analysis/reads/grant.js';
import { factsOfEndpoint } from '../../gateway/analysis/reads/own-tables.js';
import { namesIn, problemOf, Reads } from '../../gateway/analysis/reads/reads.js';
import type { QueryFacts } from '../../gateway/facts/query-facts.js';

/** Something about one endpoint. */
export interface Remark {
  readonly endpoint: string;
  readonly text: string;
  /** The table that the user cannot see, as the query names it. */
  readonly unseenTable?: string;
}

/** The least rights with which every query of some endpoints runs. */
export interface NeededGrants {
  /** Sorted. */
  readonly grants: readonly Grant[];
  /** Problems of the endpoints whose query cannot be analysed, so that their grants are incomplete. */
  readonly problems: readonly Remark[];
  /** Rights that a query needs beyond those on tables and dictionaries. They are never granted. */
  readonly warnings: readonly Remark[];
}

/**
 * The grants that the endpoints need in every shape of their queries, as ClickHouse parses them; nothing is executed. Parts that
 * only a caller's own SQL reads count, because each deployment can enable sandboxing.
 *
 * @param connection its database has the tables; its user must be able to see them.
 */
export async function neededGrants(
  connection: ClickHouseConnection,
  endpoints: readonly Endpoint[],
): Promise<NeededGrants> {
  return withClient(connection, 60_000, async (client) => {
    const catalog = new Catalog(client, connection.database);
    // An unreachable server, a missing database, or a user that may not analyse queries is not a problem of each endpoint.
    await catalog.facts('SELECT 1');
    const parsed = await Promise.all(
      endpoints.map(async (endpoint) => ({
        endpoint: endpoint.name,
        ...(await factsOfEndpoint(endpoint, catalog)),
      })),
    );
    // Looks up the tables of all endpoints at once; what follows finds them in the catalog.
    await catalog.tables(parsed.flatMap(({ facts }) => namesIn(facts)));
    const analyses: NeededGrants[] = [];
    for (const each of parsed) analyses.push(await analyze(each, catalog));
    return {
      grants: sortedGrants(analyses.flatMap(({ grants }) => grants)),
      problems: analyses.flatMap(({ problems }) => problems),
      warnings: analyses.flatMap(({ warnings }) => warnings),
    };
  });
}

async function analyze(
  { endpoint, facts, problems }: QueryFacts & { readonly endpoint: string },
  catalog: Catalog,
): Promise<NeededGrants> {
  const reads = new Reads(catalog);
  try {
    await reads.add(facts);
  } catch (error) {
    reads.problems.add(problemOf(error));
  }
  const remarks = (texts: Iterable<string>): readonly Remark[] =>
    [...texts].map((text) => ({ endpoint, text }));
  const unseen = [...reads.unseenTables].map(([unseenTable, text]) => ({ endpoint, text, unseenTable }));
  return {
    grants: reads.grants,
    problems: [...unseen, ...remarks([...problems, ...reads.problems])],
    warnings: remarks(reads.warnings),
  };
}
