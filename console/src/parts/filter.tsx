import type { VNode } from 'preact';

/** Runs the endpoint with a value of a column; undefined where no parameter has the column's name. */
export type FilterOf = (column: string, text: string) => (() => void) | undefined;

/** A value that a click filters by, where that is possible. */
export function Filter({
  text,
  onFilter,
}: {
  readonly text: string;
  readonly onFilter: (() => void) | undefined;
}): VNode {
  if (!onFilter) return <span>{text}</span>;
  return (
    <button type="button" class="quiet filter" title={`Show only rows with ${text}`} onClick={onFilter}>
      {text}
    </button>
  );
}
