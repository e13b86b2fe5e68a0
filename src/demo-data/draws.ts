/** A value that SQL text can hold as a literal. */
export type Value = string | number | null;

/** The SQL literal of a value. */
export function literal(value: Value): string {
  if (typeof value !== 'string') return String(value);
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** SQL for an array of literals. */
export const literals = (values: readonly Value[]): string => `[${values.map(literal).join(', ')}]`;

/**
 * SQL for 64 bits that depend on nothing but a key (the row's `seed`, if not told) and the name of the draw. A hash and not
 * `rand()`, so that the same now gives the same rows.
 */
export const bits = (name: string, key = 'seed'): string => `cityHash64(${key}, ${literal(name)})`;

/** SQL for an identifier of sixteen hexadecimal digits. */
export const drawHex = (name: string, key?: string): string =>
  `lower(hex(reinterpretAsFixedString(${bits(name, key)})))`;

/** SQL for a number in [0, 1); 53 bits are what a double holds. */
export const draw = (name: string, key?: string): string =>
  `(bitShiftRight(${bits(name, key)}, 11) / exp2(53))`;

/** SQL for a whole number in [0, count). */
export const drawBelow = (count: number, name: string, key?: string): string =>
  `(${bits(name, key)} % ${count})`;

/** SQL for a log-normally distributed number (Box–Muller transform): most near the median, a few far above. */
export const drawLogNormal = (median: string, sigma: string, name: string): string => `
  (${median} * exp(
    ${sigma} * sqrt(-2 * log(1 - ${draw(`${name}, radius`)})) * cos(2 * pi() * ${draw(`${name}, angle`)})))`;

/** SQL for one of the values, each as likely as the others. */
export const drawOne = (values: readonly Value[], name: string, key?: string): string =>
  `${literals(values)}[1 + ${drawBelow(values.length, name, key)}]`;

/** Something drawn as often as its share of the sum of all shares; a whole number. */
export interface Shared {
  readonly share: number;
}

/** The positions, from 1, of the things, each repeated as often as its share says. */
export const positionsByShare = (things: readonly Shared[]): number[] =>
  things.flatMap(({ share }, index) => Array<number>(share).fill(index + 1));

/** SQL for the position, from 1, of one of the things, by their shares. */
export const drawPosition = (things: readonly Shared[], name: string, key?: string): string =>
  drawOne(positionsByShare(things), name, key);

/** SQL for a UUID of version 4: 128 bits of the row, with those of the version and the variant put in place. */
export const RECORD_ID = `
  reinterpretAsUUID(bitOr(
    bitAnd(
      reinterpretAsUInt128(sipHash128(seed)),
      reinterpretAsUInt128(unhex('FF0FFFFFFFFFFFFFFFFFFFFFFFFFFF3F'))),
    reinterpretAsUInt128(unhex('00400000000000000000000000000080'))))`;
