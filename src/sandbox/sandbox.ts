import { LRUCache } from 'lru-cache';

import { partNames } from '../endpoint/bind-sandboxed.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { Failure } from '../errors.js';
import {
  problemOfSqlText,
  type AnalyzeSql,
  type CheckSql,
  type SandboxedSelect,
  type SqlParser,
} from '../query/sandboxed-select.js';
import { SingleFlight, type SingleFlightCaller } from '../query/single-flight.js';
import { invalidParameters } from '../query/validate-parameters.js';
import { checkTree, NO_TABLE } from './check-tree.js';
import { checkPrintedText, namesInFrom } from './printed-text.js';
import { Rejection } from './rejection.js';
import { readTree } from './tree.js';

const MAX_PRINTED_CHARACTERS = 32_768;
/** Size of the cache of verdicts, in characters. */
const MAX_CACHED_CHARACTERS = 4_000_000;

type Verdict = { readonly select: SandboxedSelect } | { readonly problem: string };

/** Creates the check of callers' SQL by ClickHouse's own parse, with coalescing and a cache of verdicts. */
export function createSandbox(analyzeSql: AnalyzeSql): CheckSql {
  const verdicts = new LRUCache<string, Verdict>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (verdict, key) => key.length + JSON.stringify(verdict).length,
  });
  const singleFlight = new SingleFlight<Verdict>();
  const verdictOf = async (endpoint: Endpoint, sql: string, caller: SingleFlightCaller): Promise<Verdict> => {
    const problem = problemOfSqlText(sql);
    if (problem !== undefined) return { problem };
    const key = JSON.stringify([endpoint.id, endpoint.digest, sql]);
    const cached = verdicts.get(key);
    if (cached) return cached;
    const { value } = await singleFlight.join(key, caller, async (context) => {
      const verdict = await analyzeSql(context, (parser, signal) => analyze(parser, endpoint, sql, signal));
      verdicts.set(key, verdict);
      return verdict;
    });
    return value;
  };
  return async (endpoint, sql, caller) => {
    const verdict = await verdictOf(endpoint, sql, caller);
    if ('problem' in verdict) throw sqlProblem(verdict.problem);
    return verdict.select;
  };
}

/** The failure of a request whose `sql` is rejected. */
function sqlProblem(problem: string): Failure {
  return invalidParameters([{ param: 'sql', problem }]);
}

/** Runs one query at a time, because an analysis has one slot. */
async function analyze(
  parser: SqlParser,
  endpoint: Endpoint,
  sql: string,
  signal: AbortSignal,
): Promise<Verdict> {
  try {
    const text = await parser.print(sql, signal);
    if (text.length > MAX_PRINTED_CHARACTERS) throw new Rejection('is too long');
    checkPrintedText(text);
    const lines = await parser.tree(text, signal);
    const names = {
      parts: new Set(partNames(endpoint)),
      tables: new Set(await parser.tables(signal)),
      isNoTableNamed: namesInFrom(text, NO_TABLE),
    };
    const reads = [...checkTree(readTree(lines), names)].sort();
    return { select: { text, reads } };
  } catch (error) {
    if (error instanceof Rejection) return { problem: error.message };
    const problem = error instanceof Failure ? problemOf(error) : undefined;
    if (problem === undefined) throw error;
    return { problem };
  }
}

function problemOf(failure: Failure): string | undefined {
  return failure.code === 'INVALID_PARAMETERS' ? failure.details.problems?.[0]?.problem : undefined;
}
