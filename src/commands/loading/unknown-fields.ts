import { closestName } from '../../endpoint/closest-name.js';
import type { RowShape } from './columns.js';
import { shortened } from './load-error.js';

/** Different names that are counted, so that names of a file's own making cannot fill the memory. */
const MAX_NAMES = 1000;
/** Longer names are not counted one by one. */
const MAX_NAME_LENGTH = 200;

/** A field of lines that the table does not store. */
export interface UnknownField {
  readonly field: string;
  /** Number of lines with the field, including rejected ones. */
  readonly lines: number;
  /** The column that is probably meant. */
  readonly suggestion: string | undefined;
}

/** Finds and counts the fields of lines that are not columns to load; computed columns count as unknown too. */
export class UnknownFields {
  /** Whether there are more names than are counted. */
  hasMore = false;

  readonly #columns: ReadonlySet<string>;
  readonly #kinds: ReadonlyMap<string, string>;
  readonly #linesByName = new Map<string, number>();

  constructor({ columns, computed }: Pick<RowShape, 'columns' | 'computed'>) {
    this.#columns = new Set(columns.map(({ name }) => name));
    this.#kinds = new Map(computed.map(({ name, kind }) => [name, kind]));
  }

  /** Counts the unknown fields of a line; their names. */
  countIn(line: object): string[] {
    const names = Object.keys(line).filter((name) => !this.#columns.has(name));
    for (const name of names) this.#count(name);
    return names;
  }

  /** What is wrong with a field: ``unknown field `projekt`; did you mean `project`?``. */
  describe(name: string): string {
    const quoted = `\`${shortened(name, 60)}\``;
    const kind = this.#kinds.get(name);
    if (kind !== undefined) return `field ${quoted}, which ClickHouse computes (${kind}) and no line can set`;
    const suggestion = this.#suggestionFor(name);
    return `unknown field ${quoted}${suggestion === undefined ? '' : `; did you mean \`${suggestion}\`?`}`;
  }

  /** The most frequent field first. */
  list(): UnknownField[] {
    const fields = [...this.#linesByName].sort(([, a], [, b]) => b - a);
    return fields.map(([field, lines]) => ({ field, lines, suggestion: this.#suggestionFor(field) }));
  }

  #count(name: string): void {
    const counted = this.#linesByName.get(name);
    if (counted === undefined && (this.#linesByName.size >= MAX_NAMES || name.length > MAX_NAME_LENGTH))
      this.hasMore = true;
    else this.#linesByName.set(name, (counted ?? 0) + 1);
  }

  #suggestionFor(name: string): string | undefined {
    const hasNone = this.#kinds.has(name) || name.length > MAX_NAME_LENGTH;
    return hasNone ? undefined : closestName(name, this.#columns);
  }
}
