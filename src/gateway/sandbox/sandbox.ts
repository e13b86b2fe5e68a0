import { LRUCache } from 'lru-cache';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { Failure } from '../errors.js';
import { NO_TABLE } from '../facts/facts.js';
import { knownFacts, readQueryFacts, type QueryFacts } from '../facts/query-facts.js';
import { needsFacts, readableParts } from '../facts/readable-parts.js';
import {
  problemOfSqlText,
  type AnalyzeSql,
  type CheckSql,
  type SandboxedSelect,
  type SqlParser,
} from '../query/sandboxed-select.js';
import { SingleFlight, type SingleFlightCaller } from '../query/single-flight.js';
import { sqlProblem } from '../query/validate-parameters.js';
import { checkTree } from './check-tree.js';
import { checkPrintedText } from './printed-text.js';
import { Rejection } from '../facts/rejection.js';
import { readTree } from '../facts/tree.js';
import { CALLERS_GRAMMAR } from './tree-grammar.js';

const MAX_PRINTED_CHARACTERS = 32_768;
/** Size of the cache of verdicts, in characters. */
const MAX_CACHED_CHARACTERS = 4_000_000;

type Pins = ReadonlySet<string>;

type Verdict = { readonly select: SandboxedSelect } | { readonly problem: string };

/** Creates the check of callers' SQL. It uses ClickHouse's own parse, coalesces equal checks, and caches verdicts. */
export function createSandbox(analyzeSql: AnalyzeSql): CheckSql {
  const verdicts = new LRUCache<string, Verdict>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (verdict, key) => key.length + JSON.stringify(verdict).length,
  });
  const singleFlight = new SingleFlight<Verdict>();
  const verdictOf = async (
    endpoint: Endpoint,
    sql: string,
    caller: SingleFlightCaller,
    pinned: Pins,
  ): Promise<Verdict> => {
    const problem = problemOfSqlText(sql);
    if (problem !== undefined) return { problem };
    const key = JSON.stringify([endpoint.id, endpoint.digest, [...pinned].sort(), sql]);
    const cached = verdicts.get(key);
    if (cached) return cached;
    const { value } = await singleFlight.join(key, caller, async (context) => {
      const verdict = await analyzeSql(context, (parser, signal) =>
        analyze(parser, { endpoint, sql, pinned }, signal),
      );
      verdicts.set(key, verdict);
      return verdict;
    });
    return value;
  };
  return async (endpoint, sql, caller, pinned) => {
    const verdict = await verdictOf(endpoint, sql, caller, pinned);
    if ('problem' in verdict) throw sqlProblem(verdict.problem);
    return verdict.select;
  };
}

/** Analyses a caller's SQL. It sends one query at a time, because an analysis has one slot. */
async function analyze(
  parser: SqlParser,
  { endpoint, sql, pinned }: { readonly endpoint: Endpoint; readonly sql: string; readonly pinned: Pins },
  signal: AbortSignal,
): Promise<Verdict> {
  try {
    const facts = needsFacts(endpoint, pinned) ? await factsOf(endpoint, parser, signal) : undefined;
    const readable = readableParts(endpoint, pinned, facts);
    const text = await parser.print(sql, signal);
    if (text.length > MAX_PRINTED_CHARACTERS) throw new Rejection('is too long');
    checkPrintedText(text);
    const lines = await parser.tree(text, signal);
    const names = {
      parts: new Set(readable.names),
      withheld: readable.withheld,
      tables: new Set(await parser.tables(signal)),
      isNoTableNamed: text.includes(NO_TABLE),
    };
    const reads = [...checkTree(readTree(lines, CALLERS_GRAMMAR), names)].sort();
    return { select: { text, reads } };
  } catch (error) {
    if (error instanceof Rejection) return { problem: error.message };
    const problem = error instanceof Failure ? problemOf(error) : undefined;
    if (problem === undefined) throw error;
    return { problem };
  }
}

/** Facts of an endpoint. Its analysis caches them; a caller that comes earlier reads them here. */
async function factsOf(endpoint: Endpoint, parser: SqlParser, signal: AbortSignal): Promise<QueryFacts> {
  const known = knownFacts(endpoint);
  if (known) return known;
  return readQueryFacts(
    endpoint,
    (query) => parser.lines(query, signal),
    (error) => {
      if (error instanceof Failure && problemOf(error) !== undefined) return 'ClickHouse cannot parse it';
      throw error;
    },
  );
}

function problemOf(failure: Failure): string | undefined {
  return failure.code === 'INVALID_PARAMETERS' ? failure.details.problems?.[0]?.problem : undefined;
}
