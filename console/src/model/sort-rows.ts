import { cellText } from './display.js';
import type { Cell, Row } from './endpoint.js';
import { compareExact, isExact } from './exact-number.js';

export interface Order {
  readonly column: string;
  readonly direction: 'ascending' | 'descending';
}

/** The next order after a click on a column's heading: ascending, descending, then the order of the gateway. */
export function nextOrder(order: Order | undefined, column: string): Order | undefined {
  if (order?.column !== column) return { column, direction: 'ascending' };
  return order.direction === 'ascending' ? { column, direction: 'descending' } : undefined;
}

/** Sorts rows; equal rows keep the order of the gateway. In ascending order nulls come first, as in the gateway. */
export function sortRows<R extends Readonly<Record<string, Cell | undefined>> = Row>(
  rows: readonly R[],
  order: Order | undefined,
): readonly R[] {
  if (!order) return rows;
  const { column, direction } = order;
  const sign = direction === 'ascending' ? 1 : -1;
  return rows.toSorted((left, right) => sign * compare(left[column], right[column]));
}

const COLLATOR = new Intl.Collator('en');

function compare(left: Cell | undefined, right: Cell | undefined): number {
  const [noLeft, noRight] = [left ?? undefined, right ?? undefined].map((value) => value === undefined);
  if (noLeft || noRight) return Number(noRight) - Number(noLeft);
  if (isExact(left) && isExact(right)) return compareExact(left, right);
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return COLLATOR.compare(cellText(left), cellText(right));
}
