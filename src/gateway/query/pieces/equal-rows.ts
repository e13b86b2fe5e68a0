/** A number with a fraction or an exponent. Its last digits may depend on the order of additions. */
const FLOAT = /-?\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+)/gi;

/** Relative difference of floats above which two results differ. */
const TOLERANCE = 1e-9;

/** Whether two bodies have equal rows. The last digits of floats, and the order of rows, may differ. */
export function areEqualRows(one: Buffer, other: Buffer): boolean {
  if (one.equals(other)) return true;
  const [first, second] = [rowsOf(one), rowsOf(other)];
  return areNear(first, second) || areNear(first.toSorted(), second.toSorted());
}

/** Lines of a body, without the JSON text around and between rows. */
const rowsOf = (body: Buffer): readonly string[] =>
  body
    .toString()
    .replaceAll(/^\{"result":\[|\]\}$/g, '')
    .split(/,?\r?\n/);

function areNear(rows: readonly string[], others: readonly string[]): boolean {
  const [one, other] = [rows.join('\n'), others.join('\n')];
  const [floats, floatsOfOther] = [one.match(FLOAT) ?? [], other.match(FLOAT) ?? []];
  return (
    one.replaceAll(FLOAT, '0.0') === other.replaceAll(FLOAT, '0.0') &&
    floats.every((float, index) => isNear(Number(float), Number(floatsOfOther[index])))
  );
}

const isNear = (a: number, b: number): boolean =>
  Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
