import { ClickHouseError } from '@clickhouse/client';

import type { Endpoint } from '../../../endpoint/endpoint.js';
import { isRejectionOfQuery } from '../../clickhouse/translate-sql-error.js';
import { readQueryFacts, VARYING_NAMES, type QueryFacts } from '../../facts/query-facts.js';
import type { Catalog } from './catalog.js';
import { problemOf, Reads } from './reads.js';

/** Reads the facts of an endpoint. @throws Error where ClickHouse does not analyse the endpoint */
export const factsOfEndpoint = (endpoint: Endpoint, { lines }: Catalog): Promise<QueryFacts> =>
  readQueryFacts(endpoint, lines, (error) => {
    if (error instanceof ClickHouseError && !isRejectionOfQuery(error)) throw error;
    return problemOf(error);
  });

/**
 * The gateway's own tables that any shape of an endpoint's query reads, also through views, `merge` and table engines. Only tables that the
 * client's user can see are found.
 */
export const ownTablesOf = async (endpoint: Endpoint, catalog: Catalog): Promise<readonly string[]> =>
  [...(await readsOf(endpoint, catalog)).ownTables].sort();

async function readsOf(endpoint: Endpoint, catalog: Catalog): Promise<Reads> {
  const reads = new Reads(catalog);
  await reads.add((await factsOfEndpoint(endpoint, catalog)).facts);
  return reads;
}

/** Varying functions that still return the same in each run over the same data, on a server with the same settings. */
const SAME_IN_EACH_RUN = new RegExp(
  '^(?:dict|joinget|region|(?:current|default|enabled|session|auth)\\w*(?:database|schemas?|user|roles|profiles)$' +
    '|(?:database|schema|user|version|revision|buildid)$|get(?:setting|serversetting|mergetreesetting|macro)' +
    '|(?:server)?timezone$|hascolumnintable$|isconstant$|tocolumntypename$|dumpcolumnstructure$|lowcardinality' +
    '|arraypartial\\w*sort$)|besteffort',
);

/** Call of a function whose value differs between runs, in the endpoint or in what it reads and calls. Undefined where there is none. */
export async function varyingCallOf(endpoint: Endpoint, catalog: Catalog): Promise<string | undefined> {
  const functions = await (await readsOf(endpoint, catalog)).calledFunctions();
  const varying = new Set(await catalog.lines(VARYING_NAMES));
  const found = [...functions].find((name) => {
    const lower = name.toLowerCase();
    return varying.has(lower) && !SAME_IN_EACH_RUN.test(lower);
  });
  return found === undefined ? undefined : `${found}()`;
}
