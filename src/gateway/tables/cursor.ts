import { isName, nameOf } from '../../endpoint/sql-file/select/names.js';
import { isSymbol, wordOf, type Node } from '../../endpoint/sql-file/select/nodes.js';
import { numberOf, textOf } from './words.js';

/** Reads the words of a statement that is no SELECT, one after the other. */
export class Cursor {
  #at = 0;

  constructor(readonly nodes: readonly Node[]) {}

  /** What is not read yet. */
  get rest(): readonly Node[] {
    return this.nodes.slice(this.#at);
  }

  /** Reads keywords, if they are next. */
  take(...words: readonly string[]): boolean {
    const isNext = words.every((word, index) => wordOf(this.nodes[this.#at + index]) === word);
    if (isNext) this.#at += words.length;
    return isNext;
  }

  /** Reads one of several keywords, if it is next. */
  takeOne(...words: readonly string[]): string | undefined {
    return words.find((word) => this.take(word));
  }

  /** Reads a symbol, if it is next. */
  takeSymbol(symbol: string): boolean {
    if (!isSymbol(this.nodes[this.#at], symbol)) return false;
    this.#at += 1;
    return true;
  }

  /** Reads a name with dots, if one is next. */
  path(): readonly string[] | undefined {
    const names: string[] = [];
    do {
      const node = this.nodes[this.#at];
      if (node === undefined || !isName(node)) return undefined;
      names.push(nameOf(node));
      this.#at += 1;
    } while (this.takeSymbol('.'));
    return names;
  }

  /** Reads a literal of text, if one is next. */
  text(): string | undefined {
    const text = textOf(this.nodes[this.#at]);
    if (text !== undefined) this.#at += 1;
    return text;
  }

  /** Reads a number without a sign, if one is next. */
  number(): string | undefined {
    const number = numberOf(this.nodes.slice(this.#at, this.#at + 1));
    if (number !== undefined) this.#at += 1;
    return number;
  }
}
