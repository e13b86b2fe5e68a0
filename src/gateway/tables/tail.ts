import { isName, nameOf } from '../../endpoint/sql-file/select/names.js';
import type { Word } from '../../endpoint/sql-file/select/frame.js';
import { isSymbol, wordOf, type Node } from '../../endpoint/sql-file/select/nodes.js';
import { CODES } from './error-codes.js';
import { StatementProblem } from './statement.js';
import { scalarOf } from './table-arguments.js';
import { itemsOf } from './words.js';

/** What stands at the end of a statement. */
export interface Tail {
  readonly format: string | undefined;
  readonly settings: ReadonlyMap<string, string>;
  /** How many words stand before it. */
  readonly start: number;
}

/** Reads FORMAT and SETTINGS at the end of a statement, in either order. */
export function readTail(words: readonly Word[]): Tail {
  let start = words.length;
  let format: string | undefined;
  let settings: ReadonlyMap<string, string> = new Map();
  // SETTINGS can stand on both sides of FORMAT.
  for (let clauses = 0; clauses < 3; clauses += 1) {
    let clause = start - 1;
    while (clause > 0 && words[clause]?.role !== 'clause') clause -= 1;
    const after = words.slice(clause + 1, start).map(({ node }) => node);
    const [first] = after;
    const word = clause > 0 ? wordOf(words[clause]?.node) : '';
    if (word === 'FORMAT' && format === undefined && after.length === 1 && first && isName(first))
      format = nameOf(first);
    else if (word === 'SETTINGS' && isSymbol(after[1], '='))
      settings = new Map([...readSettings(after), ...settings]);
    else break;
    start = clause;
  }
  return { format, settings, start };
}

/** Reads `name = value, …`. */
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
