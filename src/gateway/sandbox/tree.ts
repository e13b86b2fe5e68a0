import { Rejection } from './rejection.js';
import { NODE_KINDS, SECTIONS } from './tree-grammar.js';

/** A node of ClickHouse's query tree, before names are resolved. */
export interface TreeNode {
  readonly kind: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** In printed order; `section` is the heading above the child, or ''. */
  readonly children: readonly { readonly section: string; readonly node: TreeNode }[];
}

interface OpenNode extends TreeNode {
  readonly indent: number;
  readonly children: { section: string; node: TreeNode }[];
  section: { readonly name: string; readonly indent: number } | undefined;
}

/** Maximum number of nodes of one query. */
const MAX_NODES = 4000;

/**
 * Parses the output of `EXPLAIN QUERY TREE run_passes = 0`, one element per line.
 *
 * @throws Rejection for every kind of node, property and section that is not on the allowlist.
 */
export function readTree(lines: readonly string[]): TreeNode {
  const reader = new TreeReader();
  for (const line of lines) if (line !== '') reader.read(line);
  return reader.tree();
}

class TreeReader {
  private readonly open: OpenNode[] = [];
  private root: OpenNode | undefined;
  private nodes = 0;

  read(line: string): void {
    // Trim the start only: a space at the end can be part of a name.
    const text = line.trimStart();
    const indent = line.length - text.length;
    while ((this.open.at(-1)?.indent ?? -1) >= indent) this.open.pop();
    const parent = this.open.at(-1);
    const node = readNode(text, indent, this.nodes);
    if (node) this.add(node, parent);
    else openSection(text, indent, parent);
  }

  tree(): TreeNode {
    if (!this.root) throw unsupported('an empty statement');
    return this.root;
  }

  private add(node: OpenNode, parent: OpenNode | undefined): void {
    this.nodes += 1;
    if (this.nodes > MAX_NODES) throw new Rejection('is too long; simplify it');
    if (parent) parent.children.push({ section: sectionOf(parent, node.indent), node });
    else if (this.root) throw unsupported('more than one statement');
    this.root ??= node;
    this.open.push(node);
  }
}

/** Reads a line as a node. Nodes are numbered in printed order, so a forged line has a wrong number. */
function readNode(text: string, indent: number, expectedId: number): OpenNode | undefined {
  const match = /^(?<kind>[A-Z][A-Z_ ]*?) id: (?<id>\d+)(?<rest>(?:, [^]*)?)$/u.exec(text);
  if (!match?.groups) return undefined;
  const { kind = '', id = '', rest = '' } = match.groups;
  const allowed = NODE_KINDS.get(kind);
  if (!allowed) throw unsupported(kind.toLowerCase().replaceAll('_', ' '));
  if (Number(id) !== expectedId) throw unsupported('the order of its parts');
  return { kind, attributes: readAttributes(kind, allowed, rest), indent, children: [], section: undefined };
}

function readAttributes(
  kind: string,
  allowed: ReadonlySet<string>,
  rest: string,
): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  let remaining = rest;
  while (remaining !== '') {
    const match = /^, (?<key>[a-z_]+) ?: /u.exec(remaining);
    const key = match?.groups?.['key'];
    if (match === null || key === undefined || !allowed.has(key) || attributes.has(key)) {
      throw unsupported(
        `${kind.toLowerCase().replaceAll('_', ' ')}${key === undefined ? '' : ` with ${key}`}`,
      );
    }
    remaining = remaining.slice(match[0].length);
    // A constant is escaped and can contain any text, so it is the last property that is read.
    const end = key === 'constant_value' ? -1 : remaining.search(/, [a-z_]+ ?: /u);
    attributes.set(key, end === -1 ? remaining : remaining.slice(0, end));
    remaining = end === -1 ? '' : remaining.slice(end);
  }
  return attributes;
}

function openSection(line: string, indent: number, parent: OpenNode | undefined): void {
  const text = line.trimEnd();
  if (text.startsWith('SETTINGS')) throw new Rejection('must not have SETTINGS');
  const name = SECTIONS.find(
    (section) => text === section || (section.endsWith(' ') && text.startsWith(section)),
  );
  if (name === undefined || !parent) throw unsupported(text.slice(0, 40));
  // A heading below a heading (replacements) only nests deeper; the outermost one counts.
  if (parent.section && parent.section.indent < indent) return;
  parent.section = { name: name.trim(), indent };
}

const sectionOf = ({ section }: OpenNode, indent: number): string =>
  section && section.indent < indent ? section.name : '';

function unsupported(what: string): Rejection {
  return new Rejection(`uses syntax that is not supported here: ${what}`);
}
