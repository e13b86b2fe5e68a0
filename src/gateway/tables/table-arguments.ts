import { isName, nameOf } from '../../endpoint/sql-file/select/names.js';
import { isSymbol, wordOf, type GroupNode, type Node } from '../../endpoint/sql-file/select/nodes.js';
import { CODES } from './error-codes.js';
import { StatementProblem, type Argument } from './statement.js';
import { isGroup, itemsOf, numberOf, textOf } from './words.js';

/** Reads `(name = value, …)` behind a table. @throws StatementProblem for anything else */
export function readArguments({ nodes }: GroupNode): ReadonlyMap<string, Argument> {
  const args = new Map<string, Argument>();
  const names = new Set<string>();
  for (const item of nodes.length === 0 ? [] : itemsOf(nodes)) {
    const [name, equals, ...value] = item;
    if (name === undefined || !isName(name) || !isSymbol(equals, '='))
      throw invalid('An argument of a table');
    const written = nameOf(name);
    if (names.has(written)) throw invalid(`The argument ${written}, which must be given once,`);
    names.add(written);
    // As ClickHouse has it, NULL is no value.
    if (value.length === 1 && wordOf(value[0]) === 'NULL') continue;
    const argument = argumentOf(value);
    if (argument === undefined) throw invalid(`The argument ${written}`);
    args.set(written, argument);
  }
  return args;
}

/** Reads `(length)` or `(offset, length)` behind numbers. @throws StatementProblem for anything else */
export function readNumbers({ nodes }: GroupNode): ReadonlyMap<string, Argument> {
  const items = itemsOf(nodes).map(numberOf);
  if (items.length > 2 || !items.every((item) => item !== undefined && /^\d+$/.test(item)))
    throw new StatementProblem(
      CODES.NOT_IMPLEMENTED,
      'numbers() has one or two arguments that are whole numbers: write numbers(10), or numbers(5, 10).',
    );
  const names = items.length === 1 ? ['length'] : ['offset', 'length'];
  return new Map(names.map((name, index) => [name, { kind: 'text', text: items[index] ?? '' }]));
}

/** The parameter that braces name, as in `{name:Type}`; undefined where they are something else. */
export function parameterOf(node: Node | undefined): string | undefined {
  if (!isGroup(node, '{')) return undefined;
  const [name, colon, type] = node.nodes;
  if (name?.kind !== 'token' || name.type !== 'word' || !isSymbol(colon, ':') || type === undefined)
    return undefined;
  if (wordOf(type) !== 'IDENTIFIER') return name.text;
  throw new StatementProblem(
    CODES.NOT_IMPLEMENTED,
    `{${name.text}:Identifier} is not supported. Write the name into the statement.`,
  );
}

function argumentOf(value: readonly Node[]): Argument | undefined {
  const [first] = value;
  const text = scalarOf(value);
  if (text !== undefined) return { kind: 'text', text };
  if (value.length !== 1) return undefined;
  const name = parameterOf(first);
  if (name !== undefined) return { kind: 'parameter', name };
  if (!isGroup(first, '[')) return undefined;
  const items = first.nodes.length === 0 ? [] : itemsOf(first.nodes).map(scalarOf);
  return items.every((item) => item !== undefined) ? { kind: 'items', items } : undefined;
}

/** The text of a literal that is neither NULL nor an array. */
export function scalarOf(value: readonly Node[]): string | undefined {
  const word = value.length === 1 ? wordOf(value[0]) : '';
  if (word === 'TRUE' || word === 'FALSE') return word.toLowerCase();
  return value.length === 1 ? (textOf(value[0]) ?? numberOf(value)) : numberOf(value);
}

const invalid = (what: string): StatementProblem =>
  new StatementProblem(
    CODES.SYNTAX_ERROR,
    `${what} is not supported. Write arguments as name = value, where a value is a text, a number, an array of them, NULL, or a ` +
      'parameter such as {name:String}.',
  );
