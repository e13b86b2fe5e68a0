import { isSymbol, type Node, type ParameterNode, type TokenNode } from './nodes.js';
import type { Place, SelectProblem } from './select.js';

/** A text as a tree of brackets and optional parts. */
export interface BracketTree {
  readonly nodes: readonly Node[];
  readonly problems: readonly SelectProblem[];
}

const CLOSER = { '(': ')', '[': ']', '{': '}', '[[': ']]' } as const;
type Open = keyof typeof CLOSER;
type Closer = (typeof CLOSER)[Open];

interface Frame {
  readonly open: Open;
  readonly start: number;
  readonly nodes: Node[];
}

/** What the server's parser and this one can read without running out of stack. */
const MAX_DEPTH = 200;
const ARRAY_OF_ARRAYS =
  '[[ begins an optional part. Write an array of arrays with a space, as in [ [1], [2] ].';

/** Finds what each bracket and each `[[` encloses. `]]` ends a part where no other bracket in the part is open. */
export function readBrackets(items: readonly (TokenNode | ParameterNode)[]): BracketTree {
  const reader = new BracketReader();
  for (let at = 0; at < items.length && !reader.isTooDeep;) {
    const item = items[at];
    if (item !== undefined) at += reader.read(item, items[at + 1]);
  }
  return reader.finish();
}

class BracketReader {
  readonly #problems: SelectProblem[] = [];
  readonly #root: Node[] = [];
  readonly #frames: Frame[] = [];

  get isTooDeep(): boolean {
    return this.#frames.length > MAX_DEPTH;
  }

  /** Reads an item, or two that are one bracket of a part. Returns how many. */
  read(item: TokenNode | ParameterNode, next: Node | undefined): 1 | 2 {
    const text = symbolOf(item);
    const second = next?.start === item.end && isSymbol(next, text) ? next : undefined;
    if (text === '(' || text === '{') return this.#open(text, item);
    if (text === '[') return this.#open(second === undefined ? '[' : '[[', item);
    if (text === ')' || text === '}') return this.#close(text, item);
    if (text === ']') return this.#closeSquare(item, second);
    this.#nodes.push(item);
    return 1;
  }

  finish(): BracketTree {
    if (this.isTooDeep) {
      const { start } = this.#frames.at(-1) ?? { start: 0 };
      const problem = `Brackets are nested more than ${MAX_DEPTH} deep. Use WITH queries instead.`;
      return { nodes: [], problems: [...this.#problems, { start, end: start + 1, problem }] };
    }
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      this.#reportUnclosed(frame);
      this.#pop(frame.nodes.at(-1)?.end ?? frame.start + frame.open.length);
    }
    return { nodes: this.#root, problems: this.#problems };
  }

  get #nodes(): Node[] {
    return this.#frames.at(-1)?.nodes ?? this.#root;
  }

  #open(open: Open, { start }: Place): 1 | 2 {
    this.#frames.push({ open, start, nodes: [] });
    return open === '[[' ? 2 : 1;
  }

  #closeSquare(item: Place, second: Place | undefined): 1 | 2 {
    const top = this.#frames.at(-1);
    if (top?.open === '[') return this.#close(']', item);
    const hasPart = this.#frames.some(({ open }) => open === '[[');
    if (second !== undefined && (hasPart || top === undefined))
      return this.#close(']]', { start: item.start, end: second.end });
    if (top?.open === '[[') this.#readAsArrays(top);
    return this.#close(']', item);
  }

  /** `[[1], …`: the writer meant two brackets. */
  #readAsArrays({ start, nodes }: Frame): void {
    this.#report({ start, end: start + 2 }, ARRAY_OF_ARRAYS);
    this.#frames.pop();
    this.#frames.push({ open: '[', start, nodes: [] }, { open: '[', start: start + 1, nodes });
  }

  #close(closer: Closer, place: Place): 1 | 2 {
    if (this.#frames.some(({ open }) => CLOSER[open] === closer)) {
      for (let top = this.#frames.at(-1); top !== undefined; top = this.#frames.at(-1)) {
        if (CLOSER[top.open] === closer) break;
        this.#reportUnclosed(top);
        this.#pop(place.start);
      }
      this.#pop(place.end, true);
    } else this.#report(place, `${closer} closes nothing. Remove it, or write what it closes before it.`);
    return closer === ']]' ? 2 : 1;
  }

  #pop(end: number, isClosed = false): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    const { open, start, nodes } = frame;
    this.#nodes.push(
      open === '[['
        ? { kind: 'part', isClosed, start, end, nodes }
        : { kind: 'group', open, start, end, nodes },
    );
  }

  #reportUnclosed({ open, start }: Frame): void {
    this.#report(
      { start, end: start + open.length },
      `${open} is not closed. Write ${CLOSER[open]} after it.`,
    );
  }

  #report({ start, end }: Place, problem: string): void {
    this.#problems.push({ start, end, problem });
  }
}

function symbolOf(item: Node): string {
  return item.kind === 'token' && item.type === 'symbol' ? item.text : '';
}
