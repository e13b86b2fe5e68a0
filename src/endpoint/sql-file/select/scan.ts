import { isQuery, type Clause } from './clauses.js';
import { isSymbol, wordOf, type GroupNode, type Node, type PartNode } from './nodes.js';
import { roleOf, startOf, stateAfter, type Role, type State } from './roles.js';

/** A node with its role and what stands around it. */
export interface Step<Kind extends Node = Node> {
  readonly node: Kind;
  readonly role: Role;
  /** The state before the node, as if there were no parts before it. */
  readonly before: State;
  /** The role of what follows, parts left out. */
  readonly after: Role | 'end';
  /** Whether its clause has a `? :` or `->`, which bind less than AND and OR. */
  readonly isInChoice: boolean;
  /** What is inside a group or part. */
  readonly inner: Scan | undefined;
}

/** The nodes of a frame in their roles. */
export interface Scan {
  readonly steps: readonly Step[];
  /** The state after the last node. */
  readonly end: State;
}

const TERM_CLAUSES: ReadonlySet<Clause> = new Set<Clause>(['PREWHERE', 'WHERE', 'HAVING']);

/** Whether the terms of a clause may be optional. */
export function hasTerms(clause: Clause): boolean {
  return TERM_CLAUSES.has(clause);
}

/** Finds the role of each node of the text, from the outermost query inwards. */
export function scanQuery(nodes: readonly Node[]): Scan {
  return scan(nodes, startOf('outermost', 'start'), 'end');
}

function scan(nodes: readonly Node[], start: State, after: Role | 'end'): Scan {
  const plain: Pick<Step, 'node' | 'role' | 'before'>[] = [];
  const nexts = nodesAfter(nodes);
  let state = start;
  for (const [index, node] of nodes.entries()) {
    const role = roleOf(node, nexts[index], state);
    plain.push({ node, role, before: state });
    state = stateAfter(node, role, nexts[index], state);
  }
  const steps: Step[] = [];
  let following = after;
  let isInChoice = state.hasChoice;
  for (const step of plain.reverse()) {
    const inner = scanInside(step.node, step.before, following);
    steps.push({ ...step, after: following, isInChoice, inner });
    if (step.role !== 'part') following = step.role;
    if (step.role === 'clause' || step.role === 'set') isInChoice = step.before.hasChoice;
  }
  return { steps: steps.reverse(), end: state };
}

/** For each node the next one that is not a part. */
function nodesAfter(nodes: readonly Node[]): readonly (Node | undefined)[] {
  const nexts: (Node | undefined)[] = [];
  let next: Node | undefined;
  for (let at = nodes.length - 1; at >= 0; at -= 1) {
    nexts.push(next);
    if (nodes[at]?.kind !== 'part') next = nodes[at];
  }
  return nexts.reverse();
}

function scanInside(node: Node, before: State, after: Role | 'end'): Scan | undefined {
  if (node.kind === 'part') return scan(node.nodes, before, after);
  return node.kind === 'group' ? scan(node.nodes, startOfGroup(node, before, after), 'end') : undefined;
}

function startOfGroup(group: GroupNode, before: State, after: Role | 'end'): State {
  if (group.open !== '(') return startOf('other', 'none');
  if (isQuery(group.nodes)) return startOf('query', 'start');
  return isTerm(group, before, after) ? startOf('terms', before.clause) : startOf('other', 'none');
}

/** Whether a parenthesis is a term of its own, so that its AND and OR are the clause's. */
function isTerm(group: GroupNode, before: State, after: Role | 'end'): boolean {
  if (before.frame === 'other' || !hasTerms(before.clause) || isPending(before) || !endsTerm(after))
    return false;
  const begins = before.last === 'start' || before.last === 'clause' || before.last === 'connective';
  if (!begins && wordOf(before.previous) !== 'NOT') return false;
  return !group.nodes.some((node) => isSymbol(node, ','));
}

/** Whether a BETWEEN or CASE is not complete. */
export function isPending({ pending }: State): boolean {
  return pending.betweens > 0 || pending.outer !== undefined;
}

/** Whether a term is complete before what follows. */
export function endsTerm(after: Role | 'end'): boolean {
  return after === 'end' || after === 'clause' || after === 'set' || after === 'connective';
}

/** Visits each step, those inside groups and parts too, in the order of the text. */
export function forEachStep({ steps }: Scan, visit: (step: Step) => void): void {
  for (const step of steps) {
    visit(step);
    if (step.inner !== undefined) forEachStep(step.inner, visit);
  }
}

/** Whether a step is an optional part. */
export function isPart(step: Step): step is Step<PartNode> {
  return step.node.kind === 'part';
}
