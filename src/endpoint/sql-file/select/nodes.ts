import type { Place } from './select.js';
import type { TokenKind } from './tokens.js';

/** A token that is part of the query: neither space nor comment, and not part of a placeholder. */
export interface TokenNode extends Place {
  readonly kind: 'token';
  readonly type: TokenKind;
  readonly text: string;
  /** The upper-case text of a bare word, so that keywords can be compared; empty for every other token. */
  readonly word: string;
}

/** A placeholder. A name that is not valid is reported when it is read. */
export interface ParameterNode extends Place {
  readonly kind: 'parameter';
  readonly name: string;
  readonly type: string | undefined;
}

/** A pair of brackets with its contents. */
export interface GroupNode extends Place {
  readonly kind: 'group';
  readonly open: '(' | '[' | '{';
  readonly nodes: readonly Node[];
}

/** An optional part: `[[`, `]]` and the contents between them. */
export interface PartNode extends Place {
  readonly kind: 'part';
  readonly nodes: readonly Node[];
}

/** A node of the tree of brackets and optional parts. */
export type Node = TokenNode | ParameterNode | GroupNode | PartNode;

/** Whether a node is a certain symbol. */
export function isSymbol(node: Node | undefined, text: string): boolean {
  return node?.kind === 'token' && node.type === 'symbol' && node.text === text;
}

/** The upper-case text of a bare word; empty for every other node. */
export function wordOf(node: Node | undefined): string {
  return node?.kind === 'token' ? node.word : '';
}
