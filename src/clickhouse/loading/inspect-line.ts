import type { Line } from './line-splitter.js';
import { messageOf } from './load-error.js';
import type { RejectedLine } from './load-report.js';
import { isOutOfRange, type NumberRange } from './number-range.js';
import { mismatch, printable, TIMESTAMP_OUT_OF_RANGE } from './rejection-reasons.js';
import { isInRange } from './timestamp-range.js';

/** A line that is a JSON object with a timestamp; ClickHouse may still be unable to read its values. */
export interface Row {
  readonly line: number;
  /** The object, starting with its brace. */
  readonly text: string;
}

/** Rejects lines that are invalid without asking ClickHouse, or whose values ClickHouse would silently change. */
export function inspectLine(line: Line, ranges: readonly NumberRange[]): Row | RejectedLine {
  const reject = (reason: string): RejectedLine => ({ line: line.line, reason });
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (error) {
    // V8 quotes the line in its message.
    return reject(`not JSON: ${printable(messageOf(error), 120)}`);
  }
  if (!isObject(value)) return reject('not a JSON object');
  const { timestamp } = value;
  // Without a timestamp ClickHouse would use the time of the INSERT.
  if (timestamp === undefined || timestamp === null) return reject('no timestamp');
  // ClickHouse would read an integer beyond its own range as another number.
  if (typeof timestamp === 'number' && !isInRange(timestamp)) {
    return reject(TIMESTAMP_OUT_OF_RANGE);
  }
  const exceeded = ranges.find((range) => isOutOfRange(range, value[range.column.name]));
  if (exceeded) return reject(mismatch(exceeded.column, value[exceeded.column.name]));
  return { line: line.line, text: line.text.trimStart() };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
