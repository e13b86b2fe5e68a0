import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import { chartableOf, chartData, type Chartable, type ChartData } from '../model/chart-data.js';
import { number } from '../model/display.js';
import type { Column, Row } from '../model/endpoint.js';
import { Chart, lineColour } from './chart.js';

interface Props {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/** A chart of a result with times, and controls for what it draws. */
export function ChartPanel({ columns, rows }: Props): VNode | null {
  const chartable = useMemo(() => chartableOf(columns, rows), [columns, rows]);
  return chartable ? <Drawn key={chartable.numbers.join()} chartable={chartable} rows={rows} /> : null;
}

function Drawn({ chartable, rows }: { readonly chartable: Chartable; readonly rows: readonly Row[] }): VNode {
  const [chosen, setChosen] = useState<readonly string[]>(chartable.numbers.slice(0, 4));
  const [split, setSplit] = useState('');
  const [index, setIndex] = useState<number | null>(null);
  const data = useMemo(() => chartData(rows, chartable, chosen, split), [rows, chartable, chosen, split]);
  const toggle = (name: string): void => {
    setChosen(chartable.numbers.filter((one) => (one === name) !== chosen.includes(one)));
  };
  const isSplit = split !== '';
  return (
    <figure class="chart-panel">
      <Chart
        data={data}
        bars={chartable.numbers.length === 0}
        label={`Chart of ${data.lines.map(({ name }) => name).join(', ')} over ${chartable.time}; the rows are in the table below`}
        onIndex={setIndex}
      />
      <figcaption>
        <span class="at">{timeText(data, index)}</span>
        {isSplit || chartable.numbers.length === 0 ? (
          <Legend data={data} index={index} />
        ) : (
          <SeriesChoice {...{ chartable, chosen, data, index, toggle }} />
        )}
        {chartable.splits.length > 0 && (
          <label>
            One line for each{' '}
            <select
              value={split}
              onChange={(event) => {
                setSplit(event.currentTarget.value);
              }}
            >
              <option value="">column</option>
              {chartable.splits.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {data.note !== '' && <span class="hint">{data.note}</span>}
      </figcaption>
    </figure>
  );
}

function timeText({ times }: ChartData, index: number | null): string {
  const at = index === null ? undefined : times[index];
  return at === undefined ? 'UTC' : new Date(at * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

const valueText = (data: ChartData, line: number, index: number | null): string => {
  const value = index === null || line < 0 ? undefined : data.lines[line]?.values[index];
  return value === undefined || value === null ? '' : number(value);
};

const Swatch = ({ line }: { readonly line: number }): VNode => (
  <span class={`swatch ${line < 0 ? '' : lineColour(line)}`} aria-hidden="true" />
);

function Legend({ data, index }: { readonly data: ChartData; readonly index: number | null }): VNode {
  return (
    <ul class="legend">
      {data.lines.map(({ name }, line) => (
        <li key={name}>
          <Swatch line={line} />
          {name} <span class="value">{valueText(data, line, index)}</span>
        </li>
      ))}
    </ul>
  );
}

interface SeriesProps {
  readonly chartable: Chartable;
  readonly chosen: readonly string[];
  readonly data: ChartData;
  readonly index: number | null;
  readonly toggle: (name: string) => void;
}

function SeriesChoice({ chartable, chosen, data, index, toggle }: SeriesProps): VNode {
  return (
    <fieldset class="legend">
      <legend class="unseen">Series in the chart</legend>
      {chartable.numbers.map((name) => {
        const line = chosen.indexOf(name);
        return (
          <label key={name}>
            <input
              type="checkbox"
              checked={line >= 0}
              onChange={() => {
                toggle(name);
              }}
            />
            <Swatch line={line} />
            {name} <span class="value">{valueText(data, line, index)}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
