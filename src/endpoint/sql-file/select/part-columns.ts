import { columnName } from './names.js';
import type { PartNode } from './nodes.js';
import { isPart, type Scan, type Step } from './scan.js';
import type { SelectProblem } from './select.js';
import { splitItems } from './with-list.js';

/** The columns of the result that optional parts add. */
export interface PartColumns {
  readonly byPart: ReadonlyMap<PartNode, readonly string[]>;
  readonly problems: readonly SelectProblem[];
}

/** Reads the names of the items in the parts of the outermost SELECT list, but of those that begin at certain offsets. */
export function readPartColumns(scan: Scan, invalid: ReadonlySet<number>): PartColumns {
  const byPart = new Map<PartNode, readonly string[]>();
  const problems: SelectProblem[] = [];
  const read = ({ steps }: Scan): void => {
    for (const step of steps) {
      if (!isPart(step) || step.inner === undefined || !isResultItem(step)) continue;
      if (!invalid.has(step.node.start)) byPart.set(step.node, namesIn(step.inner, problems));
      read(step.inner);
    }
  };
  read(scan);
  return { byPart, problems };
}

/** The first query of a UNION names the columns of the result. */
function isResultItem({ before }: Step): boolean {
  return before.frame === 'outermost' && before.clause === 'SELECT' && before.arm === 0;
}

function namesIn({ steps }: Scan, problems: SelectProblem[]): readonly string[] {
  if (steps.some(({ role }) => role === 'set')) return [];
  const items = splitItems(steps.filter((step) => !isPart(step)));
  return items.flatMap((item) => {
    const [first, last] = [item.at(0), item.at(-1)];
    if (first === undefined || last === undefined) return [];
    const name = columnName(item);
    if (name !== undefined) return [name];
    const problem = 'An optional column needs a name. Write one after it with AS, as in [[, @a AS a]].';
    problems.push({ start: first.start, end: last.end, problem });
    return [];
  });
}
