import { isName, nameOf } from '../../endpoint/sql-file/select/names.js';
import { isSymbol, wordOf, type GroupNode, type Node } from '../../endpoint/sql-file/select/nodes.js';
import { CODES, StatementProblem, type Argument } from './statement.js';
import { isGroup, itemsOf, scalarOf } from './words.js';

/** Reads `(name = value, …)` after a table. @throws StatementProblem for anything else */
export function readArguments({ nodes }: GroupNode): ReadonlyMap<string, Argument> {
  const args = new Map<string, Argument>();
  for (const [name, equals, ...value] of itemsOf(nodes)) {
    if (name === undefined || !isName(name) || !isSymbol(equals, '='))
      throw invalid('An argument of a table');
    const written = nameOf(name);
    if (args.has(written)) throw invalid(`The argument ${written}, which must be given once,`);
    args.set(written, argumentOf(value, written));
  }
  return args;
}

/** Reads `(length)` or `(offset, length)` after `numbers`. @throws StatementProblem for anything else */
export function readNumbers({ nodes }: GroupNode): ReadonlyMap<string, Argument> {
  const items = itemsOf(nodes).map((item) => /^\d+$/.exec(scalarOf(item) ?? '')?.[0]);
  const names = { 1: ['length'], 2: ['offset', 'length'] }[items.length];
  if (!names || items.includes(undefined))
    throw new StatementProblem(
      CODES.NOT_IMPLEMENTED,
      'numbers() has one or two arguments that are whole numbers: write numbers(10), or numbers(5, 10).',
    );
  return new Map(names.map((name, index) => [name, { kind: 'text', text: items[index] ?? '' }]));
}

/** Name of the parameter in braces such as `{name:Type}`. Undefined where the node is something else. */
export function parameterOf(node: Node | undefined): string | undefined {
  const [name, colon, type] = isGroup(node, '{') ? node.nodes : [];
  if (name?.kind !== 'token' || name.type !== 'word' || !isSymbol(colon, ':')) return undefined;
  if (wordOf(type) !== 'IDENTIFIER') return name.text;
  throw new StatementProblem(
    CODES.NOT_IMPLEMENTED,
    `{${name.text}:Identifier} is not supported. Write the name into the statement.`,
  );
}

function argumentOf(value: readonly Node[], of: string): Argument {
  const [first] = value;
  if (value.length === 1 && wordOf(first) === 'NULL') return { kind: 'none' };
  const text = scalarOf(value);
  if (text !== undefined) return { kind: 'text', text };
  const name = value.length === 1 ? parameterOf(first) : undefined;
  if (name !== undefined) return { kind: 'parameter', name };
  const items = value.length === 1 && isGroup(first, '[') ? itemsOf(first.nodes).map(scalarOf) : [undefined];
  if (items.every((item) => item !== undefined)) return { kind: 'items', items };
  throw invalid(`The argument ${of}`);
}

const invalid = (what: string): StatementProblem =>
  new StatementProblem(
    CODES.SYNTAX_ERROR,
    `${what} is not supported. Write arguments as name = value, where a value is a text, a number, an array of them, NULL, or a ` +
      'parameter such as {name:String}.',
  );
