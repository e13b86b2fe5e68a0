import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { jsonText, number } from '../model/display.js';
import { isIdentifier, isNumber, isTime, type Cell } from '../model/endpoint.js';
import { isExact } from '../model/exact-number.js';
import { nextOrder, sortRows, type Order } from '../model/sort-rows.js';
import { Digits } from './digits.js';
import type { ChosenCell, TableColumn, TableRow } from './table-column.js';
import { TimeText } from './time-text.js';
import { useChosenCell } from './use-chosen-cell.js';

interface Props {
  readonly label: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
  /** Present where the table does not keep its order itself. */
  readonly order?: Order | undefined;
  readonly onOrder?: (order: Order | undefined) => void;
  /** What tells rows apart when they are replaced; without it, their places do. */
  readonly keyOf?: (row: TableRow) => string;
  readonly initial?: Order;
  /** Present where cells can be chosen, with a press or the keyboard; the content is shown below the table. */
  readonly about?: (cell: ChosenCell) => ComponentChildren;
}

const PAGE = 100;

/** A paged table of rows, sorted by a click on a heading. */
export function DataTable({ label, columns, rows, initial, about, keyOf, ...ordered }: Props): VNode {
  const [ownOrder, setOwnOrder] = useState<Order | undefined>(initial);
  const { order = ownOrder, onOrder: setOrder = setOwnOrder } = ordered;
  const [page, setPage] = useState(0);
  const sorted = useMemo(() => sortRows(columns, rows, order), [columns, rows, order]);
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  const current = Math.min(page, pages - 1);
  useEffect(() => {
    setPage(0);
  }, [order]);
  const shown = useMemo(() => sorted.slice(current * PAGE, (current + 1) * PAGE), [sorted, current]);
  const region = useRef<HTMLDivElement>(null);
  const choice = useChosenCell(columns, shown, about !== undefined);
  useEffect(() => {
    region.current?.querySelector('td.chosen')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [choice.cell?.row, choice.cell?.column]);
  return (
    <>
      <div
        ref={region}
        class="scroll rows"
        tabIndex={0}
        role="region"
        aria-label={label}
        onKeyDown={choice.onKeyDown}
      >
        <table>
          <caption class="unseen">{label}; headings sort</caption>
          <thead>
            <Headings {...{ columns, order, setOrder }} />
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <tr key={keyOf?.(row) ?? index}>
                {columns.map((column, at) => (
                  <td
                    key={column.name}
                    class={`${classOf(column)} ${choice.isChosen(index, at) ? 'chosen' : ''}`}
                    onClick={() => {
                      choice.choose(index, at);
                    }}
                  >
                    <Content row={row} column={column} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {about && choice.cell && (
        <div class="about-cell" role="status">
          {about(choice.cell)}
        </div>
      )}
      {pages > 1 && <Pager page={current} pages={pages} rows={rows.length} onPage={setPage} />}
    </>
  );
}

interface HeadingsProps extends Pick<Props, 'columns'> {
  readonly order: Order | undefined;
  readonly setOrder: (order: Order | undefined) => void;
}

function Headings({ columns, order, setOrder }: HeadingsProps): VNode {
  return (
    <tr>
      {columns.map((column) => (
        <Heading
          key={column.name}
          column={column}
          order={order}
          onPress={() => {
            setOrder(nextOrder(order, column.name));
          }}
        />
      ))}
    </tr>
  );
}

interface HeadingProps {
  readonly column: TableColumn;
  readonly order: Order | undefined;
  readonly onPress: () => void;
}

function Heading({ column, order, onPress }: HeadingProps): VNode {
  const { name, label = name, type, description } = column;
  const direction = order?.column === name ? order.direction : undefined;
  return (
    <th scope="col" aria-sort={direction ?? 'none'} class={classOf(column)}>
      <button type="button" title={`${description} ${type}`.trim()} onClick={onPress}>
        {label}
        <span aria-hidden="true" class="direction">
          {direction === 'ascending' ? '▲' : direction === 'descending' ? '▼' : ''}
        </span>
      </button>
    </th>
  );
}

const classOf = ({ type }: TableColumn): string =>
  isNumber(type) ? 'number' : isTime(type) ? 'when' : 'text';

function Content({ row, column }: { readonly row: TableRow; readonly column: TableColumn }): VNode {
  const value = row[column.name];
  return column.show ? <>{column.show(value, row)}</> : <Value value={value} column={column} />;
}

interface ValueProps {
  readonly value: Cell | undefined;
  readonly column: TableColumn;
}

/** A value with the text that ClickHouse wrote. */
function Value({ value, column: { name, type } }: ValueProps): VNode {
  if (value === null || value === undefined) return <span class="muted">null</span>;
  if (value === '') return <span class="muted">empty</span>;
  if (isExact(value)) return isIdentifier(name) ? <>{value.value}</> : <Digits text={value.value} />;
  if (typeof value === 'object') return <JsonValue value={value} />;
  const text = String(value);
  if (isTime(type)) return <TimeText text={text} />;
  return <span title={text.length > 60 ? text : undefined}>{text}</span>;
}

function JsonValue({ value }: { readonly value: object }): VNode {
  const [open, setOpen] = useState(false);
  return (
    <details
      class="json"
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>{jsonText(value)}</summary>
      {open && <pre>{jsonText(value, 2)}</pre>}
    </details>
  );
}

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly rows: number;
  readonly onPage: (page: number) => void;
}

function Pager({ page, pages, rows, onPage }: PagerProps): VNode {
  const to = (target: number) => (): void => {
    onPage(target);
  };
  return (
    <nav class="pager" aria-label="Pages of rows">
      <button type="button" disabled={page === 0} onClick={to(page - 1)}>
        Previous
      </button>
      <span role="status">
        {number(page * PAGE + 1)}–{number(Math.min(rows, (page + 1) * PAGE))} of {number(rows)}
      </span>
      <button type="button" disabled={page >= pages - 1} onClick={to(page + 1)}>
        Next
      </button>
    </nav>
  );
}
