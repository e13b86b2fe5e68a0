/** A field of a record. */
export interface CsvField {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** State of a record after one more line: continued in the next line, complete, or malformed with a reason. */
export type RecordState = 'open' | 'complete' | { readonly reason: string };

const QUOTE = '"';

/**
 * A record of delimited values, line by line, as RFC 4180 describes it: a field in quotes may contain delimiters, line breaks
 * and doubled quotes. A quote inside a field without quotes is an ordinary character.
 */
export class CsvRecord {
  readonly fields: CsvField[] = [];
  /** The text of the quoted field that is not closed yet, its quotes still doubled. */
  #quoted: string | undefined;

  constructor(private readonly delimiter: string) {}

  /** @param line with its carriage return, without its line feed. */
  add(line: string): RecordState {
    let at = 0;
    for (;;) {
      if (this.#quoted === undefined && line[at] === QUOTE) {
        this.#quoted = '';
        at += 1;
      }
      const end = this.#quoted === undefined ? this.#plainField(line, at) : this.#quotedField(line, at);
      if (end === undefined) return 'open';
      if (isEnd(line, end)) return 'complete';
      if (line[end] !== this.delimiter) return { reason: 'text follows a closing quote' };
      at = end + 1;
    }
  }

  /** Reads a field without quotes; its end. */
  #plainField(line: string, start: number): number {
    const delimiter = line.indexOf(this.delimiter, start);
    const end = delimiter === -1 ? line.length - (line.endsWith('\r') ? 1 : 0) : delimiter;
    this.fields.push({ text: line.slice(start, end), isQuoted: false });
    return end;
  }

  /** Reads the rest of a field in quotes. Returns the offset after its quote; undefined where the line does not contain the quote. */
  #quotedField(line: string, start: number): number | undefined {
    const quote = closingQuote(line, start);
    if (quote === undefined) {
      this.#quoted = `${this.#quoted ?? ''}${line.slice(start)}\n`;
      return undefined;
    }
    const text = (this.#quoted ?? '') + line.slice(start, quote);
    this.fields.push({ text: text.replaceAll('""', QUOTE), isQuoted: true });
    this.#quoted = undefined;
    return quote + 1;
  }
}

/** The first quote that is not doubled. */
function closingQuote(line: string, start: number): number | undefined {
  for (let at = line.indexOf(QUOTE, start); at !== -1; at = line.indexOf(QUOTE, at + 2)) {
    if (line[at + 1] !== QUOTE) return at;
  }
  return undefined;
}

function isEnd(line: string, at: number): boolean {
  return at === line.length || (at === line.length - 1 && line[at] === '\r');
}
