/** A decimal number to its last digit: `digits` times ten to the power of `exponent`. The digits have no zeros at their ends. */
export interface ExactNumber {
  readonly isNegative: boolean;
  /** Empty for zero. */
  readonly digits: string;
  readonly exponent: number;
}

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/** Reads a number, such as `-12.50` or `1e-7`; undefined for another text. */
export function exactNumber(text: string): ExactNumber | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = FORM.exec(text) ?? [];
  const written = whole + fraction;
  if (written === '') return undefined;
  // Loops, because a regular expression would take quadratic time for a long sequence of zeros.
  let [start, end] = [0, written.length];
  while (written[start] === '0') start += 1;
  if (start === end) return { isNegative: false, digits: '', exponent: 0 };
  while (written[end - 1] === '0') end -= 1;
  return {
    isNegative: sign === '-',
    digits: written.slice(start, end),
    exponent: Number(exponent) - fraction.length + written.length - end,
  };
}

/** The canonical text of a number, the same for equal numbers; undefined for a text that is not a number. */
export function canonicalNumber(text: string): string | undefined {
  const number = exactNumber(text);
  return number && `${number.isNegative ? '-' : ''}${number.digits}e${number.exponent}`;
}

/** Numbers as multiples of one power of ten. */
export function multiples(numbers: readonly ExactNumber[]): readonly bigint[] {
  const least = Math.min(...numbers.map(({ exponent }) => exponent));
  return numbers.map(({ isNegative, digits, exponent }) =>
    BigInt(`${isNegative ? '-' : ''}${digits || '0'}${'0'.repeat(exponent - least)}`),
  );
}
