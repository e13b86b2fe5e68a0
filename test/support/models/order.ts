/** Compares two things as an order by one of their parts does. */
export type Comparator<Thing> = (a: Thing, b: Thing) => number;

/** Ascending order of texts as ClickHouse has it: null first, then by the bytes of their UTF-8. */
export function compareTexts(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Ascending order of times. */
export function compareTimes(a: bigint, b: bigint): number {
  return Number(a > b) - Number(a < b);
}

/** The first comparator that tells two things apart decides. */
export function inOrder<Thing>(...comparators: readonly Comparator<Thing>[]): Comparator<Thing> {
  return (a, b) => comparators.reduce((found, compare) => (found === 0 ? compare(a, b) : found), 0);
}
