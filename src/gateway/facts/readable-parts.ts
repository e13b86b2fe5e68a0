import type { Endpoint } from '../../endpoint/endpoint.js';
import { RESULT } from '../../endpoint/reserved.js';
import type { Facts } from './facts.js';
import type { QueryFacts } from './query-facts.js';

/** Parts of an endpoint that a caller's own SQL may read. */
export interface ReadableParts {
  /** Names of the readable parts, with `result` last. */
  readonly names: readonly string[];
  /** Why the caller may not read the other parts, by name. The reason continues "NAME …" and contains no text of the part. */
  readonly withheld: ReadonlyMap<string, string>;
}

type Pins = ReadonlySet<string>;

/** Whether the facts decide which parts these callers may read. */
export function needsFacts({ query, parameters }: Endpoint, pinned: Pins): boolean {
  const { views, parts, tenant } = query;
  return (
    (views ?? parts).length > 0 && (pinned.size > 0 || (views && parameters.size > 0 && !tenant) === true)
  );
}

/**
 * Parts that a caller may read. With pinned parameters: parts for which the gateway filters each table that they read by each pin. Without
 * pins: all parts. In a `.sql` file without `tenant`, the parameters filter, so only parts that use one. In doubt a part is withheld.
 *
 * @param pinned names of the parameters that the caller's key pins
 * @param facts facts of the endpoint; undefined where they are not known yet, so that only parts that need no facts are readable
 */
export function readableParts(
  endpoint: Endpoint,
  pinned: Pins,
  facts: QueryFacts | undefined,
): ReadableParts {
  const { query } = endpoint;
  const withheld = new Map<string, string>();
  for (const { name } of needsFacts(endpoint, pinned) ? (query.views ?? query.parts) : []) {
    const reason = facts ? problemOf(name, endpoint, pinned, facts) : 'has not been analysed yet';
    if (reason !== undefined) withheld.set(name, reason);
  }
  const names = (query.views ?? query.parts).map(({ name }) => name).filter((name) => !withheld.has(name));
  return { names: [...names, RESULT], withheld };
}

/** Whether a WITH query, or one that it reads, uses a parameter of the endpoint. The clock and the page cursor do not count. */
function usesParameter(
  name: string,
  endpoint: Endpoint,
  { named }: Pick<Facts, 'named'>,
  seen = new Set<string>(),
): boolean {
  const { parameters = [], withQueries = new Set<string>() } = named.get(name) ?? {};
  if (seen.has(name)) return false;
  seen.add(name);
  return (
    parameters.some((parameter) => endpoint.parameters.has(parameter)) ||
    [...withQueries].some((other) => usesParameter(other, endpoint, { named }, seen))
  );
}

/** Tables that a part reads, as its SQL names them. Undefined where the part may read more than tables. */
export function tablesOfPart(
  name: string,
  { query }: Endpoint,
  { facts, problems, ownFunctions, identifiers }: QueryFacts,
): ReadonlySet<string> | undefined {
  const read = readsOf(name, facts);
  const isNamedByCaller = (table: string): boolean => table.split('.').some((word) => identifiers.has(word));
  const isCertain = ({ tableFunctions, possibleTables, functions }: Facts): boolean =>
    tableFunctions.length === 0 &&
    // ClickHouse may read the WITH query or a table of the same name.
    ![...possibleTables].some((table) => facts.named.has(table)) &&
    ![...functions].some((called) => READING.test(called) || ownFunctions.has(called.toLowerCase()));
  const tables = new Set(read.flatMap((each) => [...each.tables, ...each.possibleTables]));
  const isKnown = problems.length === 0 && read.length > 0 && query.hasOptionalNames !== true;
  return isKnown && read.every(isCertain) && ![...tables].some(isNamedByCaller) ? tables : undefined;
}

/** Functions that read a dictionary, a Join table or a file, which table filters do not restrict. */
const READING = /^(?:dict|joinget|file$)/i;

/** Facts of a WITH item, and of all items that it names. */
function readsOf(name: string, { named }: Pick<Facts, 'named'>, seen = new Set<string>()): readonly Facts[] {
  const facts = named.get(name);
  if (!facts || seen.has(name)) return [];
  seen.add(name);
  const words = [...facts.names, ...facts.withQueries, ...facts.functions].flatMap((each) => [
    each,
    ...each.split('.'),
  ]);
  return [facts, ...words.flatMap((word) => readsOf(word, { named }, seen))];
}

function problemOf(name: string, endpoint: Endpoint, pinned: Pins, facts: QueryFacts): string | undefined {
  if (pinned.size === 0) return usesParameter(name, endpoint, facts.facts) ? undefined : 'uses no parameter';
  const tables = tablesOfPart(name, endpoint, facts);
  if (!tables) return 'reads in a way of which it is not certain that it excludes rows of others';
  const { tenant = [] } = endpoint.query;
  const isFiltered = (pin: string): boolean =>
    [...tables].every((table) =>
      tenant.some((filter) => filter.table === table && filter.reference.name === pin),
    );
  const pin = [...pinned].find((each) => !isFiltered(each));
  return pin === undefined ? undefined : `reads a table that the endpoint’s tenant does not filter by ${pin}`;
}
