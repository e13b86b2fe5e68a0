/** Offsets of the first and the last byte of a part. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const BYTES = /^bytes=[ \t]*(?<first>\d*)-(?<last>\d*)[ \t]*$/i;

/**
 * The part of a body that a `Range` header names (RFC 9110, 14.1.2). Undefined where the whole body is the response: without
 * a header, and for what the gateway does not serve (other units, several ranges) or cannot read.
 *
 * @param length bytes of the body.
 */
export function byteRangeIn(
  header: string | undefined,
  length: number,
): ByteRange | 'unsatisfiable' | undefined {
  // A tool that requests all bytes as a range must not fail for want of rows.
  if (length === 0) return undefined;
  const { first = '', last = '' } = BYTES.exec(header ?? '')?.groups ?? {};
  if (first === '') return last === '' ? undefined : suffixOf(Number(last), length);
  const [start, end] = [Number(first), last === '' ? Infinity : Number(last)];
  if (end < start) return undefined;
  return start < length ? { first: start, last: Math.min(end, length - 1) } : 'unsatisfiable';
}

/** The last bytes of a body. */
function suffixOf(bytes: number, length: number): ByteRange | 'unsatisfiable' {
  if (bytes === 0) return 'unsatisfiable';
  return { first: Math.max(0, length - bytes), last: length - 1 };
}
