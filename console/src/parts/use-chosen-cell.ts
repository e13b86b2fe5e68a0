import { useEffect, useState } from 'preact/hooks';

import type { ChosenCell, TableColumn, TableRow } from './table-column.js';

interface Choice {
  readonly cell: ChosenCell | undefined;
  readonly isChosen: (row: number, column: number) => boolean;
  readonly choose: (row: number, column: number) => void;
  /** Enter chooses the first cell, the arrows another one, and Escape none. */
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

const ARROWS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** The chosen cell of a table; none once it has other rows. */
export function useChosenCell(
  columns: readonly TableColumn[],
  rows: readonly TableRow[],
  isPossible: boolean,
): Choice {
  const [at, setAt] = useState<readonly [row: number, column: number]>();
  useEffect(() => {
    setAt(undefined);
  }, [rows]);
  const [row, column] = [rows[at?.[0] ?? -1], columns[at?.[1] ?? -1]];
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isPossible || event.target !== event.currentTarget) return;
    const next = nextCell(event.key, at, rows.length, columns.length);
    if (next === at) return;
    event.preventDefault();
    setAt(next);
  };
  return {
    cell: row && column && { row, column },
    isChosen: (rowAt, columnAt) => at?.[0] === rowAt && at[1] === columnAt,
    choose: (...chosen) => {
      if (isPossible) setAt(chosen);
    },
    onKeyDown,
  };
}

function nextCell(
  key: string,
  at: readonly [number, number] | undefined,
  rows: number,
  columns: number,
): readonly [number, number] | undefined {
  if (key === 'Escape') return undefined;
  if (!at) return key === 'Enter' ? [0, 0] : at;
  const by = ARROWS[key];
  if (!by) return at;
  return [within(at[0] + by[0], rows), within(at[1] + by[1], columns)];
}

const within = (index: number, count: number): number => Math.min(Math.max(index, 0), count - 1);
