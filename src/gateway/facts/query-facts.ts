import { LRUCache } from 'lru-cache';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { factsOf, type Facts } from './facts.js';
import { queryShapes } from './query-shapes.js';
import { readTree, type TreeNode } from './tree.js';

/** Facts of an endpoint's query, over all its shapes. */
export interface QueryFacts {
  readonly facts: Facts;
  /** Problems of the shapes that ClickHouse cannot parse. Their facts are missing. */
  readonly problems: readonly string[];
  /** Functions in lower case that are not part of any ClickHouse release. Read only where pins can make a part readable. */
  readonly ownFunctions: ReadonlySet<string>;
  /** Names of parameters that stand for a table, column or database. */
  readonly identifiers: ReadonlySet<string>;
}

/** Runs a query that reads only metadata, and returns its only column. */
export type ReadLines = (query: string) => Promise<readonly string[]>;

/**
 * Query for the functions whose result depends on more than their arguments. ClickHouse lists arrayJoin because one row becomes several,
 * although it returns the same rows each time. ClickHouse does not list some: random ones, and those that read embedded dictionaries,
 * scalars or session data. The BestEffort functions fill in today's year where a time has none.
 */
export const VARYING_FUNCTIONS = `SELECT name, origin FROM system.functions
  WHERE origin != 'System' OR deterministic = 0 AND name NOT IN ('arrayJoin', 'unnest')
    OR match(name, '^(region|transaction|getClientHTTPHeader|fuzz|ai[A-Z]|structureToCapnProto|tid$|__getScalar$)|BestEffort')`;

/** Query for the names of ClickHouse's own varying functions, in lower case. */
export const VARYING_NAMES = `SELECT lower(name) FROM (${VARYING_FUNCTIONS}) WHERE origin = 'System'`;

const OWN_FUNCTIONS = `SELECT lower(name) FROM (${VARYING_FUNCTIONS}) WHERE origin != 'System'`;

/** Statement for ClickHouse's tree of a SELECT before names are resolved. */
export const EXPLAIN_WRITTEN = 'EXPLAIN QUERY TREE run_passes = 0 ';

/** Facts of a SELECT as written. @throws Error where ClickHouse does not parse it */
export const readFacts = async (select: string, readLines: ReadLines): Promise<Facts> =>
  factsOf(readTree(await readLines(`${EXPLAIN_WRITTEN}${select}`)));

/** Cached facts by the digest of the endpoint's definition. */
const known = new LRUCache<string, QueryFacts>({ max: 5000 });

/** Cached facts of an endpoint. Undefined where they were not read yet. */
export const knownFacts = ({ digest }: Pick<Endpoint, 'digest'>): QueryFacts | undefined => known.get(digest);

/**
 * Reads the facts of an endpoint and caches them.
 *
 * @param problemOf describes the problem of a text that ClickHouse does not parse
 * @throws what `problemOf` throws, for an error that the text did not cause
 */
export async function readQueryFacts(
  { query, digest }: Pick<Endpoint, 'query' | 'digest'>,
  readLines: ReadLines,
  problemOf: (error: unknown) => string,
): Promise<QueryFacts> {
  const identifiers = new Set<string>();
  const shapes = queryShapes(query, (name) => identifiers.add(name));
  const results = await treesOf(shapes, readLines, problemOf);
  const found = {
    facts: factsOf(...results.filter((result) => typeof result !== 'string')),
    // The shapes share most of their text, so one problem is enough.
    problems: results.filter((result) => typeof result === 'string').slice(0, 1),
    identifiers,
    ownFunctions: new Set(query.tenant && query.views?.length !== 0 ? await readLines(OWN_FUNCTIONS) : []),
  };
  known.set(digest, found);
  return found;
}

/**
 * Trees of SELECTs as written. All SELECTs share one tree if ClickHouse parses them.
 *
 * @param problemOf see {@link readQueryFacts}; its text replaces the tree of an invalid SELECT
 */
export async function treesOf(
  selects: readonly string[],
  readLines: ReadLines,
  problemOf: (error: unknown) => string,
): Promise<readonly (TreeNode | string)[]> {
  const treeOf = async (select: string): Promise<TreeNode | string> => {
    const lines = await readLines(`${EXPLAIN_WRITTEN}${select}`).catch(problemOf);
    return typeof lines === 'string' ? lines : readTree(lines);
  };
  // One request is enough: the SELECTs of the UNION have different columns, but only the parser reads them.
  const all = await treeOf(selects.map((select) => `SELECT * FROM (\n${select}\n)`).join('\nUNION ALL\n'));
  return typeof all === 'string' ? await Promise.all(selects.map(treeOf)) : [all];
}
