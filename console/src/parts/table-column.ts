import type { ComponentChildren } from 'preact';

import type { Cell, Column } from '../model/endpoint.js';

export type TableRow = Readonly<Record<string, Cell | undefined>>;

export interface TableColumn extends Pick<Column, 'name' | 'type' | 'description'> {
  readonly label?: string;
  /** Shown instead of the value; sorting uses the value. */
  readonly show?: (value: Cell | undefined, row: TableRow) => ComponentChildren;
}

export interface ChosenCell {
  readonly column: TableColumn;
  readonly row: TableRow;
}
