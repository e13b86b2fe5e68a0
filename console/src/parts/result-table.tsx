import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

import { cellText } from '../model/display.js';
import type { Column, Row } from '../model/endpoint.js';
import { sortRows, type Order } from '../model/sort-rows.js';
import { markdownOf, tsvOf } from '../model/table-text.js';
import { CopyButton } from './copy-button.js';
import { DataTable } from './data-table.js';
import { Dropdown } from './dropdown.js';
import type { FilterOf } from './filter.js';
import type { ChosenCell } from './table-column.js';

interface Props {
  readonly endpoint: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly filterOf: FilterOf;
}

/** The rows of a result, with a choice of columns, which this browser stores, and copies of what is shown. */
export function ResultTable({ endpoint, columns, rows, filterOf }: Props): VNode {
  const stored = `querygate.hidden-columns.${endpoint}`;
  const [hidden, setHidden] = useState<readonly string[]>(() =>
    (localStorage.getItem(stored) ?? '').split('\n').filter((name) => name !== ''),
  );
  const [order, setOrder] = useState<Order>();
  const isShown = ({ name }: Column): boolean => !hidden.includes(name);
  // Columns that were hidden of another version may be all that there are now.
  const shown = columns.some(isShown) ? columns.filter(isShown) : columns;
  const toggle = (column: Column): void => {
    const next = isShown(column) ? [...hidden, column.name] : hidden.filter((name) => name !== column.name);
    if (columns.every(({ name }) => next.includes(name))) return;
    if (next.length === 0) localStorage.removeItem(stored);
    else localStorage.setItem(stored, next.join('\n'));
    setHidden(next);
    // Nothing would show an order by a hidden column.
    if (next.includes(order?.column ?? '')) setOrder(undefined);
  };
  return (
    <>
      <div class="toolbar">
        <Dropdown
          class="columns-choice"
          title={shown.length === columns.length ? 'Columns' : `${shown.length} of ${columns.length} columns`}
        >
          <fieldset>
            <legend class="unseen">Columns in the table</legend>
            {columns.map((column) => (
              <label key={column.name}>
                <input
                  type="checkbox"
                  checked={shown.includes(column)}
                  onChange={() => {
                    toggle(column);
                  }}
                />
                {column.name}
              </label>
            ))}
          </fieldset>
        </Dropdown>
        <CopyButton label="Copy rows" text={() => tsvOf(shown, sortRows(columns, rows, order))} />
        <CopyButton label="Copy as Markdown" text={() => markdownOf(shown, sortRows(columns, rows, order))} />
      </div>
      <DataTable
        label="Rows"
        columns={shown}
        rows={rows}
        order={order}
        onOrder={setOrder}
        about={({ column, row }) => <AboutCell {...{ column, row, filterOf }} columns={shown} />}
      />
    </>
  );
}

interface AboutProps extends ChosenCell, Pick<Props, 'columns' | 'filterOf'> {}

/** What can be done with a chosen cell. */
function AboutCell({ column: { name }, row, columns, filterOf }: AboutProps): VNode {
  const text = cellText(row[name]);
  const filter = row[name] === null ? undefined : filterOf(name, text);
  return (
    <>
      <span class="mono">{name}</span>
      <CopyButton label="Copy cell" text={() => text} />
      <CopyButton label="Copy row" text={() => tsvOf(columns, [row as Row])} />
      {filter && (
        <button type="button" onClick={filter}>
          Show only these
        </button>
      )}
    </>
  );
}
