import { closestName } from '../../endpoint/closest-name.js';
import type { UnknownField } from './load-report.js';
import { printable } from './rejection-reasons.js';
import type { RowShape } from './row-shape.js';

/** Different names that are counted, so that names of a file's own making cannot fill the memory. */
const MAX_NAMES = 1000;
/** Longer names are not counted one by one. */
const MAX_NAME_LENGTH = 200;

const NONE: readonly string[] = [];

/** Finds the fields of lines that a table does not store. */
export class FieldNames {
  readonly #columns: ReadonlySet<string>;
  readonly #kinds: ReadonlyMap<string, string>;

  constructor({ columns, computed }: Pick<RowShape, 'columns' | 'computed'>) {
    this.#columns = new Set(columns.map(({ name }) => name));
    this.#kinds = new Map(computed.map(({ name, kind }) => [name, kind]));
  }

  /** The fields of a line that are no columns to load, ClickHouse's computed columns included. */
  unknownOf(line: object): readonly string[] {
    let unknown: string[] | undefined;
    for (const name in line) if (!this.#columns.has(name)) (unknown ??= []).push(name);
    return unknown ?? NONE;
  }

  /** The column that is probably meant. */
  suggestionFor(name: string): string | undefined {
    return this.#kinds.has(name) ? undefined : closestName(name, this.#columns);
  }

  /** What is wrong with a field: ``unknown field `projekt`; did you mean `project`?``. */
  describe(name: string): string {
    const quoted = `\`${printable(name, 60)}\``;
    const kind = this.#kinds.get(name);
    if (kind !== undefined) return `field ${quoted}, which ClickHouse computes (${kind}) and no line can set`;
    const suggestion = name.length > MAX_NAME_LENGTH ? undefined : this.suggestionFor(name);
    return `unknown field ${quoted}${suggestion === undefined ? '' : `; did you mean \`${suggestion}\`?`}`;
  }
}

/** Counts the lines with each unknown field. */
export class FieldCounts {
  readonly #linesByName = new Map<string, number>();
  /** Whether there are more names than are counted. */
  hasMore = false;

  add(name: string, lines: number): void {
    const counted = this.#linesByName.get(name);
    if (counted === undefined && (this.#linesByName.size >= MAX_NAMES || name.length > MAX_NAME_LENGTH))
      this.hasMore = true;
    else this.#linesByName.set(name, (counted ?? 0) + lines);
  }

  /** The most frequent field first. */
  list(fields: FieldNames): UnknownField[] {
    return [...this.#linesByName]
      .sort(([, a], [, b]) => b - a)
      .map(([field, lines]) => ({
        field,
        lines,
        suggestion: fields.suggestionFor(field),
        description: fields.describe(field),
      }));
  }
}
