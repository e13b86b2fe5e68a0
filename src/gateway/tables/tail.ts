import type { Word } from '../../endpoint/sql-file/select/frame.js';
import { isName, nameOf } from '../../endpoint/sql-file/select/names.js';
import { isSymbol, type Node } from '../../endpoint/sql-file/select/nodes.js';
import { CODES, StatementProblem, type SelectStatement } from './statement.js';
import { itemsOf, keywordAt, scalarOf } from './words.js';

/** Clauses at the end of a statement. */
export interface Tail {
  /** Format and settings of the result. */
  readonly output: Pick<SelectStatement, 'format' | 'settings'>;
  /** Number of words before the clauses. */
  readonly start: number;
}

/** Reads FORMAT and SETTINGS at the end of a statement, in either order. */
export function readTail(words: readonly Word[]): Tail {
  const settings = new Map<string, string>();
  let [start, format]: [number, string | undefined] = [words.length, undefined];
  // There are up to three clauses, because SETTINGS can stand on both sides of FORMAT.
  for (let clauses = 0; clauses < 3; clauses += 1) {
    const clause = words.slice(0, start).findLastIndex(({ role }) => role === 'clause');
    const nodes = words.slice(clause + 1, start).map(({ node }) => node);
    const word = clause > 0 && isName(nodes[0]) ? keywordAt(words, clause) : '';
    if (word === 'SETTINGS' && isSymbol(nodes[1], '='))
      for (const [name, value] of readSettings(nodes)) settings.set(name, settings.get(name) ?? value);
    else if (word === 'FORMAT' && format === undefined && nodes.length === 1) format = nodes.map(nameOf)[0];
    else break;
    start = clause;
  }
  return { output: { format, settings }, start };
}

/** Reads `name = value, …`. @throws StatementProblem for anything else */
export function readSettings(nodes: readonly Node[]): ReadonlyMap<string, string> {
  return new Map(
    itemsOf(nodes).map(([name, equals, ...value]) => {
      const text = scalarOf(value);
      if (name === undefined || !isName(name) || !isSymbol(equals, '=') || text === undefined)
        throw new StatementProblem(
          CODES.SYNTAX_ERROR,
          'A setting is not supported. Write settings as name = value, where a value is a number or a text in quotes.',
        );
      return [nameOf(name), text];
    }),
  );
}
