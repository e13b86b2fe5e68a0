import { Rejection } from './rejection.js';
import { NODE_KINDS, SECTIONS } from './tree-grammar.js';

/** A node of ClickHouse's query tree, before names are resolved. */
export interface TreeNode {
  readonly kind: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** In the order in which they are printed; the section is the heading that a child stands below, or ''. */
  readonly children: readonly { readonly section: string; readonly node: TreeNode }[];
}

interface OpenNode extends TreeNode {
  readonly indent: number;
  readonly children: { section: string; node: TreeNode }[];
  section: { readonly name: string; readonly indent: number } | undefined;
}

/** Most nodes of one query. */
const MAX_NODES = 4000;

/**
 * Reads what `EXPLAIN QUERY TREE run_passes = 0` prints, a line an element.
 *
 * @throws Refusal for anything that is not known to be harmless: a kind of node, one of its properties, a section.
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
    // Only in front: a space at the end can be part of a name.
    const text = line.trimStart();
    const indent = line.length - text.length;
    while ((this.open.at(-1)?.indent ?? -1) >= indent) this.open.pop();
    const parent = this.open.at(-1);
    const node = readNode(text, indent, this.nodes);
    if (node) this.add(node, parent);
    else openSection(text, indent, parent);
  }

  tree(): TreeNode {
    if (!this.root) throw notUnderstood('no statement');
    return this.root;
  }

  private add(node: OpenNode, parent: OpenNode | undefined): void {
    this.nodes += 1;
    if (this.nodes > MAX_NODES) throw new Rejection('is too long; make it simpler');
    if (parent) parent.children.push({ section: sectionOf(parent, node.indent), node });
    else if (this.root) throw notUnderstood('more than one statement');
    this.root ??= node;
    this.open.push(node);
  }
}

/** Nodes are numbered in the order in which they are printed; a line that passes for a node would have no number left. */
function readNode(text: string, indent: number, expectedId: number): OpenNode | undefined {
  const match = /^(?<kind>[A-Z][A-Z_ ]*?) id: (?<id>\d+)(?<rest>(?:, [^]*)?)$/u.exec(text);
  if (!match?.groups) return undefined;
  const { kind = '', id = '', rest = '' } = match.groups;
  const known = NODE_KINDS.get(kind);
  if (!known) throw notUnderstood(kind.toLowerCase().replaceAll('_', ' '));
  if (Number(id) !== expectedId) throw notUnderstood('the order of its parts');
  return { kind, attributes: readAttributes(kind, known, rest), indent, children: [], section: undefined };
}

function readAttributes(kind: string, known: ReadonlySet<string>, rest: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  let left = rest;
  while (left !== '') {
    const match = /^, (?<key>[a-z_]+) ?: /u.exec(left);
    const key = match?.groups?.['key'];
    if (match === null || key === undefined || !known.has(key) || attributes.has(key)) {
      throw notUnderstood(
        `${kind.toLowerCase().replaceAll('_', ' ')}${key === undefined ? '' : ` with ${key}`}`,
      );
    }
    left = left.slice(match[0].length);
    // A constant is escaped and can hold anything; it is the last of its properties that is looked at.
    const end = key === 'constant_value' ? -1 : left.search(/, [a-z_]+ ?: /u);
    attributes.set(key, end === -1 ? left : left.slice(0, end));
    left = end === -1 ? '' : left.slice(end);
  }
  return attributes;
}

function openSection(line: string, indent: number, parent: OpenNode | undefined): void {
  const text = line.trimEnd();
  if (text.startsWith('SETTINGS')) throw new Rejection('must not have SETTINGS');
  const name = SECTIONS.find(
    (section) => text === section || (section.endsWith(' ') && text.startsWith(section)),
  );
  if (name === undefined || !parent) throw notUnderstood(text.slice(0, 40));
  // Headings below a heading (replacements) only nest deeper; what counts is the outermost.
  if (parent.section && parent.section.indent < indent) return;
  parent.section = { name: name.trim(), indent };
}

const sectionOf = ({ section }: OpenNode, indent: number): string =>
  section && section.indent < indent ? section.name : '';

function notUnderstood(what: string): Rejection {
  return new Rejection(`uses what is not understood here: ${what}`);
}
