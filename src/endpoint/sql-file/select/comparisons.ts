import type { Clause } from './clauses.js';
import { isName, nameOf } from './names.js';
import { isSymbol, wordOf, type Node } from './nodes.js';
import { forEachStep, isPart, type Scan, type Step } from './scan.js';
import type { Comparison } from './select.js';

const FILTERS: readonly Clause[] = ['PREWHERE', 'WHERE'];

/**
 * The terms `column = @parameter` of the top-level AND of a query's WHERE and PREWHERE, where no alias can redefine the column:
 * ClickHouse takes an alias of SELECT for the column in WHERE.
 */
export function comparisonsOf(scan: Scan): readonly Comparison[] {
  return FILTERS.flatMap((clause) => termsOf(scan, clause))
    .flatMap((term) => comparisonIn(term) ?? [])
    .filter(({ column }) => !couldNameAnother(scan, column));
}

interface TermStep {
  readonly step: Step;
  readonly isOptional: boolean;
}

/** The terms of a clause; none where AND is not the operation that joins them. */
function termsOf(scan: Scan, clause: Clause): readonly (readonly TermStep[])[] {
  const steps = stepsOf(scan, false).filter(
    ({ step: { role, before } }) => before.clause === clause && role !== 'clause' && role !== 'set',
  );
  const terms: TermStep[][] = [[]];
  for (const of of steps) {
    if (isNoConjunction(of.step)) return [];
    if (of.step.role === 'connective') terms.push([]);
    else terms.at(-1)?.push(of);
  }
  return terms;
}

const stepsOf = ({ steps }: Scan, isOptional: boolean): readonly TermStep[] =>
  steps.flatMap((step) =>
    isPart(step) && step.inner !== undefined ? stepsOf(step.inner, true) : [{ step, isOptional }],
  );

/** What joins or encloses terms in another way. An AND that belongs to BETWEEN is certain only where BETWEEN is an operator. */
function isNoConjunction({ node, role, isInChoice }: Step): boolean {
  const word = wordOf(node);
  return (
    isInChoice ||
    isSymbol(node, '?') ||
    isSymbol(node, '->') ||
    word === 'OR' ||
    word === 'CASE' ||
    (word === 'BETWEEN' && role !== 'operator')
  );
}

function comparisonIn(term: readonly TermStep[]): Comparison | undefined {
  const [left, equals, right] = term.map(({ step: { node } }) => node);
  if (term.length !== 3 || term.some(({ isOptional }) => isOptional)) return undefined;
  if (!isSymbol(equals, '=') && !isSymbol(equals, '==')) return undefined;
  return comparison(left, right) ?? comparison(right, left);
}

function comparison(column: Node | undefined, parameter: Node | undefined): Comparison | undefined {
  if (column === undefined || !isName(column) || parameter?.kind !== 'parameter') return undefined;
  return { column: nameOf(column), parameter: parameter.name };
}

/** Words after which a name is read, not given. */
const BEFORE_COLUMN: ReadonlySet<string> = new Set(
  'SELECT DISTINCT WHERE PREWHERE HAVING AND OR NOT BY WHEN THEN ELSE LIKE ILIKE IN BETWEEN'.split(' '),
);

/** Whether a name can stand somewhere in a query as an alias, with AS or without, or in any other way that is not understood. */
function couldNameAnother(scan: Scan, column: string): boolean {
  let could = false;
  forEachStep(scan, ({ node, before: { previous } }) => {
    if (!isName(node) || nameOf(node).toLowerCase() !== column.toLowerCase()) return;
    const isRead =
      previous === undefined ||
      BEFORE_COLUMN.has(wordOf(previous)) ||
      (previous.kind === 'token' && previous.type === 'symbol' && previous.text !== '*');
    could ||= !isRead;
  });
  return could;
}
