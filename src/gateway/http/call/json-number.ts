/** Digits that the plain form of a number has at most; no parameter accepts more. */
const MAX_DIGITS = 400;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

const SHORT_INTEGER = /^-?\d{1,15}$/;

/** A JSON number without rounding. */
export interface JsonNumber {
  /** In plain decimal digits; of a number with more than 400 of them the text as it was sent. */
  readonly text: string;
  /** Whether the value is an integer that a double may not hold exactly: beyond 2^53. */
  readonly isUnsafeInteger: boolean;
}

/**
 * Reads a JSON number exactly: `1e3` is `1000`, and `1.50` stays as it is.
 *
 * @param isInteger whether the text of an integer has no fraction: `1.0` is `1`.
 */
export function readJsonNumber(sent: string, isInteger: boolean): JsonNumber {
  // Nearly every item of a long list.
  if (SHORT_INTEGER.test(sent)) return { text: sent, isUnsafeInteger: false };
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(sent) ?? [];
  const shift = Number(exponent);
  if (Math.abs(shift) + whole.length + fraction.length > MAX_DIGITS) {
    return { text: sent, isUnsafeInteger: whole.length + shift > MAX_DIGITS / 2 };
  }
  const digits = whole.padStart(Math.max(0, -shift) + 1, '0') + fraction.padEnd(Math.max(0, shift), '0');
  const point = Math.max(whole.length, 1 - shift) + shift;
  const left = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const right = digits.slice(point);
  const isWhole = /^0*$/.test(right);
  const text = right === '' || (isWhole && isInteger) ? left : `${left}.${right}`;
  return { text: sign + text, isUnsafeInteger: isWhole && !Number.isSafeInteger(Number(left)) };
}
