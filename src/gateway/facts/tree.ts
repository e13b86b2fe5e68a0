import { COLUMNS, printedNames, wholeLines } from './printed-names.js';
import { Rejection } from './rejection.js';

/** A node of ClickHouse's query tree. */
export interface TreeNode {
  readonly kind: string;
  /** Number by which columns refer to the node that they come from. */
  readonly id: number;
  readonly attributes: ReadonlyMap<string, string>;
  /** Printed lines that are not nodes, by the heading above them. Only for a tree that was read without a grammar. */
  readonly lines: ReadonlyMap<string, readonly string[]>;
  /** Child nodes in printed order. `section` is the heading above the child, or ''. */
  readonly children: readonly { readonly section: string; readonly node: TreeNode }[];
}

interface OpenNode extends TreeNode {
  readonly indent: number;
  readonly children: { section: string; node: TreeNode }[];
  readonly lines: Map<string, string[]>;
  section: { readonly name: string; readonly indent: number } | undefined;
}

/** Allowed contents of the tree of a caller's query. Names have no delimiters, so a strict grammar keeps forged lines out. */
export interface Grammar {
  /** Kinds of nodes, with their allowed properties. */
  readonly kinds: ReadonlyMap<string, ReadonlySet<string>>;
  /** Headings above the children of a node. A name follows a heading that ends with a space. */
  readonly sections: readonly string[];
  readonly maxNodes: number;
}

/** Sections whose direct children are tables. */
export const TABLE_SECTIONS: ReadonlySet<string> = new Set([
  'JOIN TREE',
  'TABLE EXPRESSION',
  'LEFT TABLE EXPRESSION',
  'RIGHT TABLE EXPRESSION',
]);

/** Nodes of the lists in a section. */
export function itemsOf({ children }: TreeNode, section: string): readonly TreeNode[] {
  return children
    .filter((child) => child.section === section)
    .flatMap(({ node: list }) => list.children.map(({ node }) => node));
}

/**
 * Parses the output of `EXPLAIN QUERY TREE`, one element per line.
 *
 * @param grammar undefined for queries of endpoint authors, which may contain any construct and names with any characters
 * @throws Rejection for a node, property or section that is not in the grammar; without a grammar, for ambiguous names
 */
export function readTree(lines: readonly string[], grammar?: Grammar): TreeNode {
  const reader = grammar ? new TreeReader(grammar) : new AuthorsTreeReader();
  for (const line of grammar ? lines : wholeLines(lines)) if (line !== '') reader.read(line);
  return reader.tree();
}

class TreeReader {
  private readonly open: OpenNode[] = [];
  private root: OpenNode | undefined;
  private nodes = 0;

  constructor(private readonly grammar?: Grammar) {}

  read(line: string): void {
    // Trim the start only: a space at the end can be part of a name.
    const text = line.trimStart();
    const indent = line.length - text.length;
    while ((this.open.at(-1)?.indent ?? -1) >= indent) this.open.pop();
    this.readAt(indent, text, this.open.at(-1));
  }

  protected readAt(indent: number, text: string, parent: OpenNode | undefined): OpenNode | undefined {
    const node = readNode(text, indent, this.nodes, this.grammar);
    if (node) this.add(node, parent);
    else openSection(text, indent, parent, this.grammar);
    return node;
  }

  tree(): TreeNode {
    if (!this.root) throw unsupported('an empty statement');
    return this.root;
  }

  private add(node: OpenNode, parent: OpenNode | undefined): void {
    this.nodes += 1;
    if (this.grammar && this.nodes > this.grammar.maxNodes) throw new Rejection('is too long; simplify it');
    if (parent) parent.children.push({ section: sectionOf(parent, node.indent), node });
    else if (this.root) throw unsupported('more than one statement');
    this.root ??= node;
    this.open.push(node);
  }
}

/** Reads a tree whose names may have any characters. A name that looks like a line shows, because it breaks the order of the ids. */
class AuthorsTreeReader extends TreeReader {
  /** Text of each node so far, by id. */
  private readonly texts = new Map<number, string>();
  /** Next id that a new node must have: ClickHouse numbers nodes in the order in which it prints them or refers to them. */
  private nextId = 0;
  /** Indentation of a heading that has no node yet. */
  private headingAt: number | undefined;

  protected override readAt(
    indent: number,
    text: string,
    parent: OpenNode | undefined,
  ): OpenNode | undefined {
    if (parent?.section?.name === COLUMNS && parent.section.indent < indent) {
      openSection(text, indent, parent, undefined);
      this.headingAt = undefined;
      return undefined;
    }
    const node = super.readAt(indent, text, parent);
    if (!node && this.headingAt !== undefined && indent <= this.headingAt)
      throw unsupported('an empty clause');
    this.headingAt = node || text.startsWith('SETTINGS ') ? undefined : indent;
    if (node) this.count(node, text);
    return node;
  }

  override tree(): TreeNode {
    if (this.headingAt !== undefined) throw unsupported('an empty clause');
    return super.tree();
  }

  private count({ id, attributes }: OpenNode, text: string): void {
    const known = this.texts.get(id);
    const sourceId = Number(attributes.get('source_id') ?? id);
    for (const named of [id, sourceId]) if (named === this.nextId) this.nextId += 1;
    if (Math.max(id, sourceId) >= this.nextId || (known !== undefined && known !== text))
      throw unsupported('the order of its parts');
    this.texts.set(id, text);
  }
}

/** Reads a line as a node. With a grammar, nodes are numbered in printed order, so a forged line has a wrong number. */
function readNode(
  text: string,
  indent: number,
  expectedId: number,
  grammar: Grammar | undefined,
): OpenNode | undefined {
  const match = /^(?<kind>[A-Z][A-Z_ ]*?) id: (?<id>\d+)(?<rest>(?:, [^]*)?)$/u.exec(text);
  if (!match?.groups) return undefined;
  const { kind = '', id = '', rest = '' } = match.groups;
  const allowed = grammar?.kinds.get(kind);
  if (grammar && !allowed) throw unsupported(shown(kind));
  if (grammar && Number(id) !== expectedId) throw unsupported('the order of its parts');
  return {
    ...{ kind, id: Number(id), attributes: attributesOf(kind, rest, allowed) },
    ...{ indent, children: [], lines: new Map(), section: undefined },
  };
}

const attributesOf = (...[kind, rest, allowed]: Parameters<typeof readAttributes>): TreeNode['attributes'] =>
  (allowed ? undefined : printedNames(kind, rest)) ?? readAttributes(kind, rest, allowed);

/** @param allowed allowed properties; undefined where all are */
function readAttributes(
  kind: string,
  rest: string,
  allowed: ReadonlySet<string> | undefined,
): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  const isRejected = (key: string): boolean =>
    allowed !== undefined && (!allowed.has(key) || attributes.has(key));
  let remaining = rest;
  while (remaining !== '') {
    const [opening = '', key] = /^, ([a-z_]+) ?: /u.exec(remaining) ?? [];
    if (key === undefined || isRejected(key)) {
      if (!allowed) break;
      throw unsupported(`${shown(kind)}${key === undefined ? '' : ` with ${key}`}`);
    }
    remaining = remaining.slice(opening.length);
    // A constant is escaped and can contain any text, so it must be the last property.
    const end = key === 'constant_value' ? -1 : remaining.search(/, [a-z_]+ ?: /u);
    attributes.set(key, end === -1 ? remaining : remaining.slice(0, end));
    remaining = end === -1 ? '' : remaining.slice(end);
  }
  return attributes;
}

const shown = (kind: string): string => kind.toLowerCase().replaceAll('_', ' ');

function openSection(
  line: string,
  indent: number,
  parent: OpenNode | undefined,
  grammar: Grammar | undefined,
): void {
  const text = line.trimEnd();
  if (grammar && text.startsWith('SETTINGS')) throw new Rejection('must not have SETTINGS');
  const name = grammar
    ? grammar.sections.find(
        (section) => text === section || (section.endsWith(' ') && text.startsWith(section)),
      )
    : text;
  if (name === undefined || !parent) throw unsupported(text.slice(0, 40));
  // A heading below another heading (replacements) only nests deeper. The outermost one names the section.
  if (parent.section && parent.section.indent < indent) {
    const lines = parent.lines.get(parent.section.name);
    if (lines) lines.push(line);
    else parent.lines.set(parent.section.name, [line]);
    return;
  }
  if (text.startsWith('SETTINGS ')) parent.lines.set('SETTINGS', [line]);
  parent.section = { name: name.trim(), indent };
}

const sectionOf = ({ section }: OpenNode, indent: number): string =>
  section && section.indent < indent ? section.name : '';

function unsupported(what: string): Rejection {
  return new Rejection(`uses syntax that is not supported here: ${what}`);
}
