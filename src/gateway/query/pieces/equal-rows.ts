/** A number with a fraction or an exponent, whose last digits depend on the order in which a sum was computed. */
const FLOAT = /-?\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+)/gi;

/** Relative difference of floats above which two results are different. */
const TOLERANCE = 1e-9;

/** Whether two texts are equal, but for the last digits of floats. */
export function areEqualRows(one: Buffer, other: Buffer): boolean {
  if (one.equals(other)) return true;
  const [first, second] = [one.toString(), other.toString()];
  const [floats, others] = [first.match(FLOAT) ?? [], second.match(FLOAT) ?? []];
  return (
    first.replaceAll(FLOAT, '0.0') === second.replaceAll(FLOAT, '0.0') &&
    floats.every((float, index) => isNear(Number(float), Number(others[index])))
  );
}

const isNear = (a: number, b: number): boolean =>
  Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
