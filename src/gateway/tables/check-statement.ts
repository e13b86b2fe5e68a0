import { LRUCache } from 'lru-cache';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { Failure } from '../errors.js';
import { attribute, nodesIn } from '../facts/facts.js';
import { Rejection } from '../facts/rejection.js';
import { readTree, type Grammar } from '../facts/tree.js';
import type { AnalyzeSql, SqlParser } from '../query/sandboxed-select.js';
import { SingleFlight, type SingleFlightCaller } from '../query/single-flight.js';
import { checkTree, type Bounds } from '../sandbox/check-tree.js';
import { checkPrintedText } from '../sandbox/printed-text.js';
import { CALLERS_GRAMMAR } from '../sandbox/tree-grammar.js';
import { PLACE_IN_TEXT, withLiterals } from './compared-literals.js';
import { CODES, StatementProblem, type SelectStatement } from './statement.js';

/**
 * Functions whose values the response headers show as well. Without tables, their results are cached like catalogues. `SELECT version(), *
 * FROM t` is cached as long as the result of `t`, and can have the version before an upgrade.
 */
const ABOUT_SERVER: ReadonlySet<string> = new Set(['version', 'timezone', 'servertimezone', 'revision']);

/** Limits of a statement. Tools need more than a caller of one endpoint: rows of constants, and functions about the server. */
const BOUNDS: Bounds = {
  ...{ reads: 100, nodes: 100_000 },
  functions: ABOUT_SERVER,
  tableFunctions: new Set(['values', 'sqlstandardvalues']),
};
const GRAMMAR: Grammar = { ...CALLERS_GRAMMAR, maxNodes: 20_000 };

/** `{name:Type}` as ClickHouse prints it, with complete strings. The type is neither an aggregate state nor the name of a table. */
const PARAMETER = /\{[A-Za-z_]\w*:(?!\s*Identifier\b)(?![^}]*Aggregate)(?:[\w (),=-]|'[^'\\{}]*')+\}/iy;

/** Size of the verdict cache, in characters. */
const MAX_CACHED_CHARACTERS = 8_000_000;

/** A SELECT that passed the check. */
export interface CheckedStatement {
  /** Text of the SELECT as ClickHouse prints it: on one line, without comments. */
  readonly text: string;
  /** Whether the rows depend on more than the data that the SELECT reads, because it calls a function that ClickHouse says varies. */
  readonly varies: boolean;
}

type Verdict = CheckedStatement | { readonly code: number; readonly problem: string };

/**
 * Checks a SELECT.
 *
 * @param read endpoints that the SELECT reads. They are part of the cache key, because a WITH query must not hide a table that they read
 * @throws StatementProblem, or Failure where the check fails
 */
export type CheckStatement = (
  statement: Pick<SelectStatement, 'template' | 'reads' | 'literals'>,
  read: readonly Pick<Endpoint, 'digest'>[],
  caller: SingleFlightCaller,
) => Promise<CheckedStatement>;

/**
 * Creates the check of a client's SELECT. The check uses ClickHouse's own parse, in which tables have internal names.
 * The SELECT may read only these tables, and call only functions that compute.
 */
export function createStatementCheck(analyzeSql: AnalyzeSql): CheckStatement {
  const verdicts = new LRUCache<string, Verdict>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (verdict, key) => key.length + JSON.stringify(verdict).length,
  });
  const singleFlight = new SingleFlight<Verdict>();
  const check: CheckStatement = async (statement, read, caller) => {
    const key = JSON.stringify([statement.template, ...read.map(({ digest }) => digest)]);
    let verdict = verdicts.get(key);
    if (!verdict) {
      const { value } = await singleFlight.join(key, caller, (context) =>
        analyzeSql(context, (parser, signal) => verdictOf(parser, statement, signal)),
      );
      verdicts.set(key, value);
      verdict = value;
    }
    const { template, literals, reads } = statement;
    const isOfPlaces =
      'text' in verdict ? PLACE_IN_TEXT.test(verdict.text) : verdict.code === CODES.SYNTAX_ERROR;
    if (isOfPlaces && literals.size > 0)
      return check({ reads, template: withLiterals(template, literals), literals: new Map() }, read, caller);
    if ('text' in verdict) return { ...verdict, text: withLiterals(verdict.text, literals) };
    throw new StatementProblem(verdict.code, withLiterals(verdict.problem, literals));
  };
  return check;
}

async function verdictOf(
  parser: SqlParser,
  { template, reads }: Pick<SelectStatement, 'template' | 'reads'>,
  signal: AbortSignal,
): Promise<Verdict> {
  try {
    const printed = await parser.print(template, signal, 'long');
    // Parameters are safe to allow: only the value is unknown, and a value is always a constant.
    const written = checkPrintedText(printed, PARAMETER);
    const lines = await parser.lines(`EXPLAIN QUERY TREE run_passes = 0 SELECT * FROM (${written})`, signal);
    const [tables, varying] = await Promise.all([parser.tables(signal), parser.varyingFunctions(signal)]);
    const names = {
      parts: new Set(reads.map(({ internal }) => internal)),
      tables: new Set(tables),
      readable: 'tables of the database querygate, catalogues of system, and earlier queries of its WITH',
      isNoTableNamed: false,
    };
    const tree = readTree(lines, GRAMMAR);
    checkTree(tree, names, BOUNDS);
    const called = new Set([...nodesIn(tree)].map((node) => attribute(node, 'function_name').toLowerCase()));
    const varies = varying.some((name) => called.has(name) && !ABOUT_SERVER.has(name));
    return { text: printed, varies };
  } catch (error) {
    if (error instanceof Rejection)
      return { code: CODES.ACCESS_DENIED, problem: `The statement ${error.message}.` };
    const problem = error instanceof Failure ? error.details.problems?.[0]?.problem : undefined;
    if (problem === undefined) throw error;
    return { code: CODES.SYNTAX_ERROR, problem: `The statement ${problem}.` };
  }
}
