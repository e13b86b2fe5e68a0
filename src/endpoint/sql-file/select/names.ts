import { isSymbol, wordOf, type Node } from './nodes.js';

/** Whether a node can be a name: a bare word or a quoted name. */
export function isName(node: Node | undefined): boolean {
  return node?.kind === 'token' && (node.type === 'word' || node.type === 'quoted-name');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0' };

/** The name that a word or quoted name means. */
export function nameOf(node: Node): string {
  if (node.kind !== 'token') return '';
  if (node.type !== 'quoted-name') return node.text;
  const quote = node.text[0];
  const inner = node.text.slice(1, -1);
  if (quote === '“') return inner;
  return inner.replace(/\\([^])|""|``/g, (found, escaped: string | undefined) =>
    escaped === undefined ? found.slice(1) : (ESCAPES[escaped] ?? escaped),
  );
}

/** The name of the column of an item of SELECT: after AS, or a column's; undefined where ClickHouse makes one up. */
export function columnName(item: readonly Node[]): string | undefined {
  const last = item.at(-1);
  if (last === undefined || !isName(last)) return undefined;
  if (item.length > 2 && wordOf(item.at(-2)) === 'AS') return nameOf(last);
  const isPath = item.every((node, index) => (index % 2 === 0 ? isName(node) : isSymbol(node, '.')));
  return isPath && item.length % 2 === 1 ? nameOf(last) : undefined;
}
