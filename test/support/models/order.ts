/** Builds a comparator of items from a comparator of one of their parts. */
export type Comparator<Thing> = (a: Thing, b: Thing) => number;

/** Compares texts as ClickHouse does: null first, then by UTF-8 bytes, ascending. */
export function compareTexts(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Compares times, ascending. */
export function compareTimes(a: bigint, b: bigint): number {
  return Number(a > b) - Number(a < b);
}

/** Combines comparators: the first one that finds a difference decides. */
export function inOrder<Thing>(...comparators: readonly Comparator<Thing>[]): Comparator<Thing> {
  return (a, b) => comparators.reduce((found, compare) => (found === 0 ? compare(a, b) : found), 0);
}
