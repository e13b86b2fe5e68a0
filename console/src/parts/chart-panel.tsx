import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import { chartData, type ResultChart } from '../model/chart-data.js';
import { chartableOf, type Chartable } from '../model/chartable.js';
import type { Column, Row } from '../model/endpoint.js';
import { Chart, lineColour } from './chart.js';
import { Digits } from './digits.js';

interface Props {
  readonly endpoint: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Narrows the range of time; absent where the endpoint has none. */
  readonly onRange?: ((from: number, to: number) => void) | undefined;
}

/** A chart of a result with times, and controls for what it draws. This browser stores for which endpoints it is hidden. */
export function ChartPanel({ endpoint, columns, rows, onRange }: Props): VNode | null {
  const chartable = useMemo(() => chartableOf(columns, rows), [columns, rows]);
  const stored = `querygate.chart.${endpoint}`;
  const [isHidden, setHidden] = useState(() => localStorage.getItem(stored) === 'hidden');
  if (!chartable) return null;
  const toggle = (): void => {
    if (isHidden) localStorage.removeItem(stored);
    else localStorage.setItem(stored, 'hidden');
    setHidden(!isHidden);
  };
  return (
    <>
      <button type="button" class="quiet chart-switch" aria-expanded={!isHidden} onClick={toggle}>
        {isHidden ? 'Show chart' : 'Hide chart'}
      </button>
      {!isHidden && <Drawn key={chartable.numbers.join()} {...{ chartable, rows, onRange }} />}
    </>
  );
}

function Drawn({
  chartable,
  rows,
  onRange,
}: Pick<Props, 'rows' | 'onRange'> & { readonly chartable: Chartable }): VNode {
  const [chosen, setChosen] = useState<readonly string[]>(chartable.numbers.slice(0, 4));
  const [split, setSplit] = useState('');
  const [index, setIndex] = useState<number | null>(null);
  const data = useMemo(() => chartData(rows, chartable, chosen, split), [rows, chartable, chosen, split]);
  const toggle = (name: string): void => {
    setChosen(chartable.numbers.filter((one) => (one === name) !== chosen.includes(one)));
  };
  return (
    <figure class="chart-panel">
      <Chart
        data={data}
        label={`Chart of ${data.lines.map(nameOf).join(', ')} over ${chartable.time}; the rows are in the table below`}
        onIndex={setIndex}
        onSelect={onRange}
      />
      <figcaption>
        <span class="at">{timeText(data, index)}</span>
        {split === '' ? (
          <SeriesChoice {...{ chartable, chosen, data, index, toggle }} />
        ) : (
          <Legend data={data} index={index} />
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

const nameOf = ({ name, isRight }: ResultChart['lines'][number]): string =>
  isRight ? `${name} (right axis)` : name;

function timeText({ times }: ResultChart, index: number | null): string {
  const at = index === null ? undefined : times[index];
  if (at === undefined) return 'UTC';
  return new Date(at * 1000)
    .toISOString()
    .replace('T', ' ')
    .replace(/(?:\.000)?Z$/, ' UTC');
}

interface LabelProps {
  readonly data: ResultChart;
  readonly name: string;
  /** Its index in the chart; -1 where it is not drawn. */
  readonly line: number;
  readonly index: number | null;
}

/** The name of a line, and its exact value under the pointer. */
function LineLabel({ data, name, line, index }: LabelProps): VNode {
  const drawn = data.lines[line];
  const text = index === null ? undefined : drawn?.texts[index];
  return (
    <>
      <Swatch line={line} />
      {drawn ? nameOf(drawn) : name}
      <span class="value">{typeof text === 'string' && <Digits text={text} />}</span>
    </>
  );
}

const Swatch = ({ line }: { readonly line: number }): VNode => (
  <span class={`swatch ${line < 0 ? '' : lineColour(line)}`} aria-hidden="true" />
);

function Legend({ data, index }: { readonly data: ResultChart; readonly index: number | null }): VNode {
  return (
    <ul class="legend">
      {data.lines.map(({ name }, line) => (
        <li key={name}>
          <LineLabel {...{ data, name, line, index }} />
        </li>
      ))}
    </ul>
  );
}

interface SeriesProps {
  readonly chartable: Chartable;
  readonly chosen: readonly string[];
  readonly data: ResultChart;
  readonly index: number | null;
  readonly toggle: (name: string) => void;
}

function SeriesChoice({ chartable, chosen, data, index, toggle }: SeriesProps): VNode {
  return (
    <fieldset class="legend">
      <legend class="unseen">Series in the chart</legend>
      {chartable.numbers.map((name) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={() => {
              toggle(name);
            }}
          />
          <LineLabel {...{ data, name, line: chosen.indexOf(name), index }} />
        </label>
      ))}
    </fieldset>
  );
}
