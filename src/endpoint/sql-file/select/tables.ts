import { isQuery } from './clauses.js';
import { isName, nameOf } from './names.js';
import { isSymbol, wordOf, type GroupNode, type Node } from './nodes.js';
import { hasClauses } from './roles.js';
import { isPart, type Scan, type Step } from './scan.js';

/** What a query reads, as it names it: tables, and WITH queries. Every subquery counts. */
export interface ReadTables {
  readonly tables: readonly string[];
  /** How many SELECTs it consists of. */
  readonly selects: number;
}

/** Thrown where a text could read something that is not named as a table. */
class Unknown extends Error {}

/** Functions that read a table, a dictionary or a file which their arguments name, `in(x, table)` among them. */
const READING_FUNCTION = /^(?:(?:global)?(?:not)?(?:null)?in(?:ignoreset)?|dict\w*|joinget\w*|file)$/i;

/** The tables that a query can read, or undefined where that is not certain: a table function, ARRAY JOIN, `{name:Identifier}`. */
export function tablesOf(scan: Scan): ReadTables | undefined {
  try {
    return tablesIn(scan);
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    throw error;
  }
}

/** The steps of a frame, those of optional parts in their places. */
export function stepsWithParts({ steps }: Scan): readonly Step[] {
  return steps.flatMap((step) =>
    isPart(step) && step.inner !== undefined ? stepsWithParts(step.inner) : [step],
  );
}

function tablesIn(scan: Scan): ReadTables {
  const steps = stepsWithParts(scan);
  const isOfQuery = steps.some(({ before }) => hasClauses(before));
  requireClauses(steps, isOfQuery);
  const nested = steps.flatMap(({ inner }) => (inner === undefined ? [] : [tablesIn(inner)]));
  const own = isOfQuery ? fromClauses(steps).flatMap((clause) => tablesOfFrom(clause)) : [];
  const selects = steps.filter(({ node }) => wordOf(node) === 'SELECT').length;
  return {
    tables: [...own, ...tablesOfIn(steps), ...nested.flatMap(({ tables }) => tables)],
    selects: nested.reduce((sum, query) => sum + query.selects, selects),
  };
}

/** A SELECT or FROM that is no clause could be one that this reader does not understand. */
function requireClauses(steps: readonly Step[], isOfQuery: boolean): void {
  for (const [index, { node, role }] of steps.entries()) {
    const word = wordOf(node);
    const mustBeClause = word === 'SELECT' || (word === 'FROM' && (isOfQuery || index === 0));
    if (mustBeClause && role !== 'clause') throw new Unknown();
    if (isReadingCall(steps, index) || isIdentifier(node)) throw new Unknown();
  }
}

function isReadingCall(steps: readonly Step[], index: number): boolean {
  const { node, role } = steps[index] ?? {};
  return READING_FUNCTION.test(wordOf(node)) && role !== 'operator' && isGroup(steps[index + 1]?.node);
}

const isIdentifier = (node: Node): boolean => node.kind === 'parameter' && node.type === 'Identifier';

function fromClauses(steps: readonly Step[]): readonly (readonly Step[])[] {
  const clauses: Step[][] = [];
  for (const step of steps) {
    const { node, role, before } = step;
    if (role === 'clause' && wordOf(node) === 'FROM') clauses.push([]);
    else if (before.clause === 'FROM' && role !== 'clause' && role !== 'set') clauses.at(-1)?.push(step);
  }
  return clauses;
}

/** `table [AS alias] [FINAL]`, joined by commas and JOINs whose conditions are passed over. */
function tablesOfFrom(steps: readonly Step[]): readonly string[] {
  const tables: string[] = [];
  let at = 0;
  do {
    const table = tableAt(steps, at);
    if (table.name !== undefined) tables.push(table.name);
    at = afterJoin(steps, afterAlias(steps, table.end));
  } while (at < steps.length);
  return tables;
}

function tableAt(steps: readonly Step[], at: number): { readonly name?: string; readonly end: number } {
  const node = steps[at]?.node;
  // Its tables are those of a nested query.
  if (isGroup(node) && isQuery(node.nodes)) return { end: at + 1 };
  let end = at;
  while (isSymbol(steps[end + 1]?.node, '.')) end += 2;
  const path = steps.slice(at, end + 1).map((step) => step.node);
  if (!isPath(path) || isGroup(steps[end + 1]?.node)) throw new Unknown();
  return { name: pathName(path), end: end + 1 };
}

function afterAlias(steps: readonly Step[], start: number): number {
  let at = start;
  if (wordOf(steps[at]?.node) === 'AS') at += 2;
  else if (steps[at]?.role === 'operand' && wordOf(steps[at]?.node) !== 'FINAL') {
    if (!isName(steps[at]?.node)) throw new Unknown();
    at += 1;
  }
  return wordOf(steps[at]?.node) === 'FINAL' ? at + 1 : at;
}

/** Where the next table begins, or the end. */
function afterJoin(steps: readonly Step[], start: number): number {
  const isOfCondition = CONDITIONS.has(wordOf(steps[start]?.node));
  const at = isOfCondition
    ? start + steps.slice(start).findIndex(({ role }) => role === 'join' || role === 'comma')
    : start;
  const next = at < start ? undefined : steps[at];
  if (next === undefined) return steps.length;
  return requireMore(steps, next.role === 'comma' ? at + 1 : afterJoinWords(steps, at));
}

const CONDITIONS = new Set(['ON', 'USING']);

/** What ARRAY JOIN joins is no table. */
function afterJoinWords(steps: readonly Step[], start: number): number {
  const words = steps.slice(start).map(({ node, role }) => (role === 'join' ? wordOf(node) : ''));
  const join = words.indexOf('JOIN');
  const before = words.slice(0, join);
  if (join === -1 || before.includes('ARRAY') || before.includes('')) throw new Unknown();
  return start + join + 1;
}

function requireMore(steps: readonly Step[], at: number): number {
  if (at >= steps.length) throw new Unknown();
  return at;
}

/** The tables to the right of IN: `x IN table`, in parentheses too. */
function tablesOfIn(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ node, role }, index) => {
    if (wordOf(node) !== 'IN' || role !== 'operator') return [];
    let right = steps[index + 1]?.node;
    while (isGroup(right) && right.nodes.length === 1 && isGroup(right.nodes[0])) right = right.nodes[0];
    if (right?.kind === 'parameter') return [];
    if (right?.kind !== 'group') throw new Unknown();
    return isPath(right.nodes) ? [pathName(right.nodes)] : [];
  });
}

function isGroup(node: Node | undefined): node is GroupNode {
  return node?.kind === 'group' && node.open === '(';
}

function isPath(nodes: readonly Node[]): boolean {
  return (
    nodes.length % 2 === 1 &&
    nodes.every((node, index) => (index % 2 === 0 ? isName(node) : isSymbol(node, '.')))
  );
}

function pathName(path: readonly Node[]): string {
  return path
    .filter((_, index) => index % 2 === 0)
    .map(nameOf)
    .join('.');
}
