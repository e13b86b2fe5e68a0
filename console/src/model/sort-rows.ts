import { cellText } from './display.js';
import type { Cell, Column, Row } from './endpoint.js';
import { compareExact, isExact } from './exact-number.js';
import { sortKeyOf, type SortKey } from './sort-key.js';

export interface Order {
  readonly column: string;
  readonly direction: 'ascending' | 'descending';
}

/** The next order after a click on a column's heading: ascending, descending, then the order of the gateway. */
export function nextOrder(order: Order | undefined, column: string): Order | undefined {
  if (order?.column !== column) return { column, direction: 'ascending' };
  return order.direction === 'ascending' ? { column, direction: 'descending' } : undefined;
}

/** Sorts rows in the order of the type of a column; equal rows keep the order of the gateway. In ascending order nulls come first, as in the gateway. */
export function sortRows<R extends Readonly<Record<string, Cell | undefined>> = Row>(
  columns: readonly Pick<Column, 'name' | 'type'>[],
  rows: readonly R[],
  order: Order | undefined,
): readonly R[] {
  if (!order) return rows;
  const { column, direction } = order;
  const sign = direction === 'ascending' ? 1 : -1;
  const keyOf = remembered(sortKeyOf(columns.find(({ name }) => name === column)?.type ?? ''));
  return rows.toSorted((left, right) => sign * compare(left[column], right[column], keyOf));
}

/** A value is compared many times. */
function remembered(keyOf: SortKey): SortKey {
  const keys = new Map<string, number | string>();
  return (text) => {
    const key = keys.get(text) ?? keyOf(text);
    keys.set(text, key);
    return key;
  };
}

const COLLATOR = new Intl.Collator('en');

function compare(left: Cell | undefined = null, right: Cell | undefined = null, keyOf: SortKey): number {
  if (left === null || right === null) return Number(right === null) - Number(left === null);
  if (isExact(left) && isExact(right)) return compareExact(left, right);
  const [items, others] = [itemsOf(left), itemsOf(right)];
  if (items && others) return compareItems(items, others, keyOf);
  const keyOfCell = (value: Cell): number | string =>
    typeof value === 'number' ? value : keyOf(cellText(value));
  return compareKeys(keyOfCell(left), keyOfCell(right));
}

const compareKeys = (left: number | string, right: number | string): number =>
  typeof left === 'number' && typeof right === 'number'
    ? left - right
    : COLLATOR.compare(String(left), String(right));

/** The values in an array, or the names and values in a map, tuple or object, in their order. */
function itemsOf(value: Cell): readonly Cell[] | undefined {
  if (typeof value !== 'object' || value === null || isExact(value)) return undefined;
  return Array.isArray(value) ? (value as readonly Cell[]) : Object.entries(value as Row);
}

/** Compares lists by the first items that differ, else by length. */
function compareItems(left: readonly Cell[], right: readonly Cell[], keyOf: SortKey): number {
  for (const [index, item] of left.slice(0, right.length).entries()) {
    const order = compare(item, right[index], keyOf);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
