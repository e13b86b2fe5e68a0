import type { Line } from './line-splitter.js';
import { messageOf } from './load-error.js';
import type { RejectedLine } from './load-report.js';
import { isOutOfRange, type NumberRange } from './number-range.js';
import { mismatch, printable, TIMESTAMP_OUT_OF_RANGE } from './rejection-reasons.js';
import { isInRange } from './timestamp-range.js';

/** A line that is a JSON object with a timestamp; whether ClickHouse can read its values is open. */
export interface Row {
  readonly line: number;
  /** The object, beginning with its brace. */
  readonly text: string;
}

/** Refuses what needs no ClickHouse to be seen, or what ClickHouse would take wrongly without a word. */
export function inspectLine(line: Line, ranges: readonly NumberRange[]): Row | RejectedLine {
  const refuse = (reason: string): RejectedLine => ({ line: line.line, reason });
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (error) {
    // V8 quotes the line in its message.
    return refuse(`not JSON: ${printable(messageOf(error), 120)}`);
  }
  if (!isObject(value)) return refuse('not a JSON object');
  const { timestamp } = value;
  // Without one ClickHouse would take the time of the INSERT.
  if (timestamp === undefined || timestamp === null) return refuse('no timestamp');
  // Greater integers than ClickHouse's own it would read as any other.
  if (typeof timestamp === 'number' && !isInRange(timestamp)) {
    return refuse(TIMESTAMP_OUT_OF_RANGE);
  }
  const exceeded = ranges.find((range) => isOutOfRange(range, value[range.column.name]));
  if (exceeded) return refuse(mismatch(exceeded.column, value[exceeded.column.name]));
  return { line: line.line, text: line.text.trimStart() };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
