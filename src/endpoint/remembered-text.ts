import { renderQuery } from './render.js';
import { AFTER, ROW_LIMIT } from './reserved.js';
import type { Condition, Query, Reference } from './sql.js';

/** What the text of a query depends on: that the parameter of this name has a value, or that a condition holds. */
export type Question = string | Condition;

/** The text of a query, without values. */
export interface QueryText {
  readonly text: string;
  /** The parameters that the text names, by name, in the order in which they were rendered. */
  readonly references: ReadonlyMap<string, Reference>;
  /** Settings of ClickHouse that its fragments need, by name. */
  readonly settings: Readonly<Record<string, number>>;
}

/** A decision tree of questions, whose leaves are texts. */
type Tree = QueryText | { readonly question: Question; readonly yes?: Tree; readonly no?: Tree };

/**
 * The most characters of text that are remembered for one query: a caller decides which shapes its calls have, and must not
 * fill the memory with them.
 */
export const MAX_CHARACTERS = 64 * 1024;

const remembered = new WeakMap<Query, { readonly tree: Tree; readonly characters: number }>();

/**
 * The text of a query for one call. It is rendered once for all calls of the same shape: those with the same answers to the
 * questions of the rendering. When the texts exceed {@link MAX_CHARACTERS}, the new text replaces the earlier ones.
 *
 * @param answer must depend on the call only; it is called again for each call.
 */
export function textOfQuery(query: Query, answer: (question: Question) => boolean): QueryText {
  const memory = remembered.get(query);
  let tree = memory?.tree;
  while (tree && 'question' in tree) tree = answer(tree.question) ? tree.yes : tree.no;
  if (tree) return tree;
  const answers = new Map<Question, boolean>();
  const body = renderText(
    query,
    (question) => {
      const yes = answers.get(question) ?? answer(question);
      answers.set(question, yes);
      return yes;
    },
    { cap: capOf(query, answer) },
  );
  const text = { ...body, text: `${body.text}\n${LIMIT}` };
  const characters = (memory?.characters ?? 0) + text.text.length;
  const fits = characters <= MAX_CHARACTERS;
  remembered.set(query, {
    tree: grown(fits ? memory?.tree : undefined, [...answers], text),
    characters: fits ? characters : text.text.length,
  });
  return text;
}

const LIMIT = `LIMIT {${ROW_LIMIT}:UInt64}`;

const capOf = (query: Query, answer: (question: Question) => boolean): string =>
  query.named || (query.isPaged && answer(AFTER)) ? '' : LIMIT;

/** A tree with one more text. */
function grown(
  tree: Tree | undefined,
  [first, ...rest]: readonly (readonly [Question, boolean])[],
  text: QueryText,
): Tree {
  if (!first) return text;
  const [question, yes] = first;
  const before = tree && 'question' in tree ? tree : { question };
  return yes
    ? { ...before, yes: grown(before.yes, rest, text) }
    : { ...before, no: grown(before.no, rest, text) };
}

/**
 * Renders a query for one call, without a limit at its end.
 *
 * @param prefix prefix of the names of its parameters
 * @param cap the limit of subqueries whose first rows are the first rows of the result
 */
export function renderText(
  query: Query,
  answer: (question: Question) => boolean,
  { prefix = '', cap }: { readonly prefix?: string; readonly cap: string },
): QueryText {
  const references = new Map<string, Reference>();
  const settings: Record<string, number> = {};
  const text = renderQuery(query, {
    reference: (reference) => {
      const { name, type } = reference;
      references.set(name, reference);
      return `{${prefix}${name}:${answer(name) ? type : nullable(type)}}`;
    },
    filter: ({ required, condition }, render) =>
      required.every(({ name }) => answer(name)) ? render(condition) : undefined,
    choice: (branches, otherwise, render) =>
      render(branches.find(([condition]) => answer(condition))?.[1] ?? otherwise),
    cap,
    setting: (name, value) => {
      settings[name] = value;
    },
    printsUnusedParts: false,
  });
  return { text, references, settings };
}

const nullable = (type: string): string => (type.startsWith('Nullable(') ? type : `Nullable(${type})`);
