import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

import { cellText, jsonText } from '../model/display.js';
import { isTime, type Cell, type Column, type Row } from '../model/endpoint.js';
import { isExact } from '../model/exact-number.js';
import type { LogColumns } from '../model/result-shape.js';
import { CopyButton } from './copy-button.js';
import { Filter, type FilterOf } from './filter.js';
import { TimeText } from './time-text.js';

interface Props {
  readonly log: LogColumns;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly filterOf: FilterOf;
}

/** More are shown after a press of a button: a browser draws long lists slowly. */
const STEP = 200;

/** Lines of a log: time, level and message; the other columns of a line below it, where it was opened. */
export function LogTable({ log, columns, rows, filterOf }: Props): VNode {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [most, setMost] = useState(STEP);
  const toggle = (line: string): void => {
    const next = new Set(open);
    if (!next.delete(line)) next.add(line);
    setOpen(next);
  };
  /** Stays that of a line when a refresh replaces the rows. */
  const nameOf = (row: Row): string => `${cellText(row[log.time])} ${cellText(row[log.message])}`;
  const { time, level, message } = log;
  return (
    <>
      <div class="scroll rows log" tabIndex={0} role="region" aria-label="Log">
        <table>
          <caption class="unseen">Lines of a log; a press on a line shows all of it</caption>
          <thead class="unseen">
            <tr>
              <th scope="col">{time}</th>
              {level !== undefined && <th scope="col">{level}</th>}
              <th scope="col">{message}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row, index) => (
              <Line
                key={index}
                {...{ log, columns, row, filterOf }}
                isOpen={open.has(nameOf(row))}
                onToggle={() => {
                  toggle(nameOf(row));
                }}
              />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > most && (
        <button
          type="button"
          onClick={() => {
            setMost(most + STEP);
          }}
        >
          More lines
        </button>
      )}
    </>
  );
}

interface LineProps extends Omit<Props, 'rows'> {
  readonly row: Row;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Line({ log: { time, level, message }, columns, row, filterOf, isOpen, onToggle }: LineProps): VNode {
  const severity = level === undefined ? '' : cellText(row[level]);
  return (
    <>
      <tr>
        <td class="when">
          <button type="button" class="quiet" aria-expanded={isOpen} onClick={onToggle}>
            <TimeText text={timeText(row[time])} />
          </button>
        </td>
        {level !== undefined && (
          <td class={`level ${severityOf(severity)}`}>
            <Filter text={severity} onFilter={severity === '' ? undefined : filterOf(level, severity)} />
          </td>
        )}
        <td class="message">{cellText(row[message])}</td>
      </tr>
      {isOpen && (
        <tr class="whole">
          <td colSpan={level === undefined ? 2 : 3}>
            <Whole {...{ columns, row, filterOf }} />
          </td>
        </tr>
      )}
    </>
  );
}

/** All columns of a line. */
function Whole({
  columns,
  row,
  filterOf,
}: Pick<Props, 'columns' | 'filterOf'> & { readonly row: Row }): VNode {
  return (
    <>
      <dl class="whole-line">
        {columns.map(({ name, type }) => {
          const value = row[name];
          const text = cellText(value);
          return (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {isJson(value) ? (
                  <pre>{jsonText(value, 2)}</pre>
                ) : isTime(type) && value !== null ? (
                  <TimeText text={timeText(value)} />
                ) : (
                  <Filter
                    text={value === null ? 'null' : text}
                    onFilter={value === null ? undefined : filterOf(name, text)}
                  />
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      <CopyButton label="Copy line" text={() => jsonText(row)} />
    </>
  );
}

const isJson = (value: Cell | undefined): value is object =>
  typeof value === 'object' && value !== null && !isExact(value);

/** Some endpoints return times as microseconds since 1970. */
function timeText(value: Cell | undefined): string {
  if (!isExact(value)) return cellText(value);
  const digits = value.value.padStart(7, '0');
  const seconds = new Date(Number(digits.slice(0, -6)) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${digits.slice(-6)}Z`;
}

function severityOf(level: string): 'bad' | 'warn' | '' {
  // A digit is a level of syslog, two are one of pino.
  if (/^(?:[0-3]$|[56]0$|err|fatal|crit|alert|emerg|panic)/i.test(level)) return 'bad';
  return /^(?:40?$|warn)/i.test(level) ? 'warn' : '';
}
