import { LRUCache } from 'lru-cache';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { factsOf, type Facts } from './facts.js';
import { queryShapes } from './query-shapes.js';
import { readTree, type TreeNode } from './tree.js';

/** What every shape of the query of an endpoint reads. */
export interface QueryFacts {
  readonly facts: Facts;
  /** Why ClickHouse cannot parse some shapes, whose facts are missing. */
  readonly problems: readonly string[];
  /** The functions that no release of ClickHouse has, in small letters; read where pins can make a part readable. */
  readonly ownFunctions: ReadonlySet<string>;
  /** Names of parameters that stand for names of tables, columns or databases. */
  readonly identifiers: ReadonlySet<string>;
}

/** Runs a query that reads no data of endpoints, and returns its only column. */
export type ReadLines = (query: string) => Promise<readonly string[]>;

/**
 * Functions with results that depend on more than their arguments, by ClickHouse's word. arrayJoin returns the same rows each time;
 * ClickHouse lists it because one row becomes several. Of some ClickHouse does not say it: they are random, read embedded
 * dictionaries, scalars, or what the session has; times without a year have the one of today.
 */
export const VARYING_FUNCTIONS = `SELECT name, origin FROM system.functions
  WHERE origin != 'System' OR deterministic = 0 AND name NOT IN ('arrayJoin', 'unnest')
    OR match(name, '^(region|transaction|getClientHTTPHeader|fuzz|ai[A-Z]|structureToCapnProto|tid$|__getScalar$)|BestEffort')`;

/** The names of those of ClickHouse's own, in lower case. */
export const VARYING_NAMES = `SELECT lower(name) FROM (${VARYING_FUNCTIONS}) WHERE origin = 'System'`;

const OWN_FUNCTIONS = `SELECT lower(name) FROM (${VARYING_FUNCTIONS}) WHERE origin != 'System'`;

/** ClickHouse's tree of a SELECT before names are resolved. */
export const EXPLAIN_WRITTEN = 'EXPLAIN QUERY TREE run_passes = 0 ';

/** The facts of a SELECT as it is written. @throws Error where ClickHouse does not parse it */
export const readFacts = async (select: string, readLines: ReadLines): Promise<Facts> =>
  factsOf(readTree(await readLines(`${EXPLAIN_WRITTEN}${select}`)));

/** By the digest of the definition. */
const known = new LRUCache<string, QueryFacts>({ max: 5000 });

/** The facts of an endpoint that were read before; undefined where ClickHouse was not asked yet. */
export const knownFacts = ({ digest }: Pick<Endpoint, 'digest'>): QueryFacts | undefined => known.get(digest);

/**
 * Reads the facts of an endpoint, and remembers them.
 *
 * @param problemOf what is wrong with a text that ClickHouse does not parse
 * @throws what `problemOf` throws, for an error that is not one of the text
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
    // The shapes share most of their text, and so their problems.
    problems: results.filter((result) => typeof result === 'string').slice(0, 1),
    identifiers,
    ownFunctions: new Set(query.tenant && query.views?.length !== 0 ? await readLines(OWN_FUNCTIONS) : []),
  };
  known.set(digest, found);
  return found;
}

/**
 * The trees of SELECTs as they are written, one for several.
 *
 * @param problemOf as in {@link readQueryFacts}; its text stands in the place of the tree
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
  // One request for all. Their columns differ, but only the parser sees them.
  const all = await treeOf(selects.map((select) => `SELECT * FROM (\n${select}\n)`).join('\nUNION ALL\n'));
  return typeof all === 'string' ? await Promise.all(selects.map(treeOf)) : [all];
}
