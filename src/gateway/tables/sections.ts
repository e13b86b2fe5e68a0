import { isJoinWord, type Word } from '../../endpoint/sql-file/select/frame.js';
import { wordOf } from '../../endpoint/sql-file/select/nodes.js';
import { bracketsAt, keywordAt } from './words.js';

/** What the words form: a query, a list of joined tables, an expression, or the arguments of `position('a' IN b)`. */
export type Context = 'query' | 'joins' | 'expression' | 'position';
/** Whether a table follows a comma and a JOIN (`tables`), only a JOIN (`list-in-tables`), or neither (`expressions`). */
export type Section = 'expressions' | 'tables' | 'list-in-tables';

/** What a word says about the next words. */
export interface Step {
  readonly section: Section;
  readonly isTableNext: boolean;
}

/** Reads what a word says about the next words. */
export function stepAt(
  words: readonly Word[],
  at: number,
  { node, role }: Word,
  section: Section,
  context: Context,
): Step {
  if (role === 'clause') return stepOfClause(words, at, section, context);
  const isTables = section === 'tables';
  if (role === 'comma') return { section, isTableNext: isTables };
  // Without brackets, the next commas belong to the list of USING.
  const isList = isTables && wordOf(node) === 'USING' && !bracketsAt(words, at + 1);
  return { section: isList ? 'list-in-tables' : section, isTableNext: false };
}

function stepOfClause(words: readonly Word[], at: number, section: Section, context: Context): Step {
  const [word, before] = [keywordAt(words, at), keywordAt(words, at - 1)];
  const [stay, table] = [{ section, isTableNext: false }, { section: 'tables', isTableNext: true } as const];
  if (word === 'FROM') {
    const isOfFill = before === 'FILL' && keywordAt(words, at - 2) === 'WITH';
    return context === 'query' && !isOfFill ? table : stay;
  }
  if (!isJoinWord(word)) return { ...stay, section: 'expressions' };
  if (word !== 'JOIN' || section === 'expressions') return stay;
  return before === 'ARRAY' ? { ...stay, section: 'list-in-tables' } : table;
}
