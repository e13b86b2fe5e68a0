import { LRUCache } from 'lru-cache';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { readableParts, type TableColumn } from '../../endpoint/readable-parts.js';
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
import { CALLERS_GRAMMAR } from './tree-grammar.js';

const MAX_PRINTED_CHARACTERS = 32_768;
/** Size of the cache of verdicts, in characters. */
const MAX_CACHED_CHARACTERS = 4_000_000;

type Pins = ReadonlySet<string>;

type Verdict = { readonly select: SandboxedSelect } | { readonly problem: string };

/** Creates the check of callers' SQL by ClickHouse's own parse, with coalescing and a cache of verdicts. */
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

/** The failure of a request whose `sql` is rejected. */
function sqlProblem(problem: string): Failure {
  return invalidParameters([{ param: 'sql', problem }]);
}

/** Runs one query at a time, because an analysis has one slot. */
async function analyze(
  parser: SqlParser,
  { endpoint, sql, pinned }: { readonly endpoint: Endpoint; readonly sql: string; readonly pinned: Pins },
  signal: AbortSignal,
): Promise<Verdict> {
  const readable = readableParts(endpoint, pinned);
  try {
    const text = await parser.print(sql, signal);
    if (text.length > MAX_PRINTED_CHARACTERS) throw new Rejection('is too long');
    checkPrintedText(text);
    const lines = await parser.tree(text, signal);
    const names = {
      parts: new Set(readable.names),
      withheld: readable.withheld,
      tables: new Set(await parser.tables(signal)),
      isNoTableNamed: namesInFrom(text, NO_TABLE),
    };
    const reads = [...checkTree(readTree(lines, CALLERS_GRAMMAR), names)].sort();
    for (const name of reads)
      await requireColumns(name, readable.columns.get(name) ?? [], (table) => parser.columns(table, signal));
    return { select: { text, reads } };
  } catch (error) {
    if (error instanceof Rejection) return { problem: error.message };
    const problem = error instanceof Failure ? problemOf(error) : undefined;
    if (problem === undefined) throw error;
    return { problem };
  }
}

/** In place of a column that its table does not have, a part would read a column or an alias of the caller's SQL. */
async function requireColumns(
  name: string,
  needed: readonly TableColumn[],
  columnsOf: (table: string) => Promise<readonly string[]>,
): Promise<void> {
  for (const { table, column } of needed) {
    if ((await columnsOf(table)).includes(column)) continue;
    throw new Rejection(
      `reads “${name}”, which this key may not read, because its table does not have the column of its filter`,
    );
  }
}

function problemOf(failure: Failure): string | undefined {
  return failure.code === 'INVALID_PARAMETERS' ? failure.details.problems?.[0]?.problem : undefined;
}
