import { isSymbol, wordOf, type Node, type ParameterNode, type TokenNode } from './nodes.js';
import type { Place, SelectProblem } from './select.js';
import { problem, type Problem } from '../../problems.js';

/** A text as a tree of brackets, optional parts and placeholders. */
export interface NodeTree {
  readonly nodes: readonly Node[];
  readonly problems: readonly SelectProblem[];
  /** Whether a bracket is not closed or closes nothing, so that it is unknown what encloses what. */
  readonly isBroken: boolean;
}

const CLOSER = { '(': ')', '[': ']', '{': '}', '[[': ']]' } as const;
type Open = keyof typeof CLOSER;

const NAME = /^[a-z][a-z0-9_]*$/;
/** Nesting that the server's parser and this one can read without a stack overflow. */
const MAX_DEPTH = 200;

/**
 * Finds what each bracket and each `[[` encloses, up to the first that is wrong, and the placeholders `@name` and `{name:Type}`.
 *
 * @param isTemplate false for a text without placeholders and optional parts, where `[[` are two brackets
 */
export function readNodes(text: string, tokens: readonly TokenNode[], isTemplate = true): NodeTree {
  const reader = new NodeReader(text, tokens, isTemplate);
  return { nodes: reader.read(), problems: reader.problems, isBroken: reader.isBroken };
}

/** Whether a text can be the name of a parameter. */
export function hasNameForm(name: string): boolean {
  return NAME.test(name);
}

class NodeReader {
  readonly problems: SelectProblem[] = [];
  isBroken = false;
  readonly #open: (Place & { readonly open: Open })[] = [];
  #at = 0;

  constructor(
    readonly text: string,
    readonly tokens: readonly TokenNode[],
    readonly isTemplate: boolean,
  ) {}

  /** Reads up to the end of the innermost open bracket, or of the text. */
  read(): Node[] {
    const nodes: Node[] = [];
    while (!this.isBroken) {
      const [token, open] = [this.tokens[this.#at], this.#open.at(-1)];
      if (token === undefined && open) this.#break(open, unclosed(open));
      if (token === undefined || this.#closes(token)) break;
      nodes.push((this.isTemplate ? this.#readPlaceholder(token) : undefined) ?? this.#readNode(token));
    }
    return nodes;
  }

  #report({ start, end }: Place, found: Problem): void {
    this.problems.push({ start, end, ...found });
  }

  #break(place: Place, found: Problem): void {
    this.#report(place, found);
    this.isBroken = true;
  }

  /** Whether a token closes the innermost bracket, or has no opening bracket. `]]` ends a part only if no other bracket is open in it. */
  #closes(token: TokenNode): boolean {
    if (token.type !== 'symbol' || !/[)\]}]/.test(token.text)) return false;
    const top = this.#open.at(-1);
    const second = this.#secondOf(token);
    const isCloser = ({ open }: { readonly open: Open }): boolean =>
      CLOSER[open] === token.text || (CLOSER[open] === ']]' && second !== undefined);
    if (top === undefined) this.#breakAt({ ...token, end: second?.end ?? token.end });
    else if (!isCloser(top)) {
      if (this.#open.some(isCloser)) this.#break(top, unclosed(top));
      else if (top.open === '[[' && token.text === ']') this.#break(top, problem('ARRAY_OF_ARRAYS'));
      else this.#breakAt(token);
    }
    return true;
  }

  #breakAt({ start, end }: Place): void {
    const written = this.text.slice(start, end);
    this.#break({ start, end }, problem('CLOSES_NOTHING', written));
  }

  /** The same bracket at the next offset; undefined where there is another character. */
  #secondOf(token: TokenNode): TokenNode | undefined {
    const second = this.tokens[this.#at + 1];
    return second?.start === token.end && isSymbol(second, token.text) ? second : undefined;
  }

  #readNode(token: TokenNode): Node {
    const bracket = (['(', '[', '{'] as const).find((text) => isSymbol(token, text));
    if (bracket !== undefined) return this.#readBracket(token, bracket);
    this.#at += 1;
    return token;
  }

  #readBracket(token: TokenNode, bracket: '(' | '[' | '{'): Node {
    const open = this.isTemplate && bracket === '[' && this.#secondOf(token) ? '[[' : bracket;
    const { start } = token;
    this.#open.push({ open, start, end: start + open.length });
    if (this.#open.length > MAX_DEPTH) this.#break(token, problem('NESTING_TOO_DEEP', MAX_DEPTH));
    this.#at += open.length;
    const nodes = this.read();
    this.#open.pop();
    const end = this.tokens[this.#at + open.length - 1]?.end ?? this.text.length;
    this.#at += open.length;
    return open === '[['
      ? { kind: 'part', start, end, nodes }
      : { kind: 'group', open: bracket, start, end, nodes };
  }

  #readPlaceholder(token: TokenNode): ParameterNode | undefined {
    const read = isSymbol(token, '@')
      ? this.#readAtName(token)
      : isSymbol(token, '{')
        ? this.#readBraces(token)
        : undefined;
    if (read && !hasNameForm(read.name)) this.#report(read, problem('PLACEHOLDER_NAME_INVALID', read.name));
    return read;
  }

  #readAtName({ start, end }: TokenNode): ParameterNode | undefined {
    const name = this.tokens[this.#at + 1];
    if (name?.type !== 'word' || name.start !== end) {
      this.#report({ start, end }, problem('PLACEHOLDER_NAME_MISSING', '@'));
      return undefined;
    }
    this.#at += 2;
    return { kind: 'parameter', start, end: name.end, name: name.text, type: undefined };
  }

  /** Reads `{name:Type}`; other braces, a map for example, are not placeholders. */
  #readBraces({ start }: TokenNode): ParameterNode | undefined {
    const [name, colon, type] = this.tokens.slice(this.#at + 1, this.#at + 4);
    if (name && isSymbol(name, ':'))
      this.#report({ start, end: name.end }, problem('PLACEHOLDER_NAME_MISSING', '{'));
    if (name?.type !== 'word') return undefined;
    const typeMissing = problem('PLACEHOLDER_TYPE_MISSING', name.text);
    if (colon === undefined || !isSymbol(colon, ':')) {
      this.#report({ start, end: name.end }, typeMissing);
      return undefined;
    }
    const close = this.#nextBrace(this.#at + 3);
    const last = this.tokens[close];
    if (last?.text !== '}') return undefined;
    if (wordOf(type) === '') this.#report({ start, end: last.end }, typeMissing);
    this.#at = close + 1;
    const written = this.text.slice(colon.end, last.start).trim();
    return { kind: 'parameter', start, end: last.end, name: name.text, type: written };
  }

  /** A type has no braces, and to look no further keeps the work linear. */
  #nextBrace(from: number): number {
    let at = from;
    while (at < this.tokens.length && !/^[{}]$/.test(this.tokens[at]?.text ?? '')) at += 1;
    return at;
  }
}

const unclosed = ({ open }: { readonly open: Open }): Problem =>
  problem('NOT_CLOSED', open, CLOSER[open], 'after it');
