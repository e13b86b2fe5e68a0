import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import { viewWith } from '../model/address.js';
import { chartData, type ResultChart } from '../model/chart-data.js';
import type { Chartable } from '../model/chartable.js';
import type { Row, Values } from '../model/endpoint.js';
import { inZone, UTC } from '../model/zone.js';
import { useZone } from '../chosen-zone.js';
import { Chart, lineColour, type ChartKind } from './chart.js';
import { Choice } from './choice.js';
import { Digits } from './digits.js';

interface Props {
  readonly chartable: Chartable;
  readonly rows: readonly Row[];
  readonly kind: ChartKind;
  /** The first and the last row, each where there are others beyond it. */
  readonly edges: readonly Row[];
  /** When the rows were current, in seconds since 1970. */
  readonly now: number;
  /** The range of the request, in seconds since 1970; infinite where it is not known. */
  readonly from: number;
  readonly to: number;
  /** Zone of the calendar of the buckets. */
  readonly zone: string;
  readonly view: Values;
  readonly onView: (view: Values) => void;
  /** Narrows the time range; absent where the endpoint has no range. */
  readonly onRange?: ((from: number, to: number) => void) | undefined;
}

/** Number of columns that are drawn by default. */
const FIRST_DRAWN = 4;

/** A chart of a result with times, and controls for what it draws. */
export function ChartPanel(props: Props): VNode {
  const { chartable, rows, kind, view, onView, onRange } = props;
  const { numbers, splits, time, isDate } = chartable;
  const pageZone = useZone();
  const zone = isDate ? UTC : pageZone;
  const split = splits.find((name) => name === view['by']) ?? '';
  const chosen = drawnNumbers(view, numbers, kind === 'bars' || split !== '');
  const [index, setIndex] = useState<number | null>(null);
  const [isInVain, setIsInVain] = useState(false);
  const data = useMemo(
    () => chartData(rows, chartable, chosen, { ...props, split, hasOneAxis: kind !== 'line' }),
    [rows, chartable, chosen.join(), split, kind, props.edges, props.now, props.from, props.to, props.zone],
  );
  return (
    <figure class="chart-panel">
      <Chart
        {...{ data, kind, zone }}
        label={`Chart of ${data.lines.map(nameOf).join(', ')} over ${time}; the rows are in the table below`}
        onIndex={setIndex}
        onSelect={(first, last) => {
          setIsInVain(!onRange);
          onRange?.(first, last);
        }}
      />
      <p class="hint" role="status">
        {isInVain &&
          'A drag sets the begin and the end of a range: here a parameter for one of them is missing, or set by your key.'}
      </p>
      <figcaption>
        <span class="at">{timeText(data, index, { zone, isDate: isDate ?? false })}</span>
        <Series {...{ chartable, chosen, kind, split, data, index, view, onView }} />
        {data.note !== '' && <span class="hint">{data.note}</span>}
        {data.dashedNote !== '' && <span class="hint">{data.dashedNote}</span>}
      </figcaption>
    </figure>
  );
}

/** The columns that a view names, or the first ones. Bars, and lines of one column by the values of another, are of one number. */
function drawnNumbers(view: Values, numbers: readonly string[], isOne: boolean): readonly string[] {
  const named = (view['of'] ?? '').split(',').filter((name) => numbers.includes(name));
  const chosen = named.length > 0 ? named : numbers.slice(0, FIRST_DRAWN);
  return isOne ? chosen.slice(0, 1) : chosen;
}

interface SeriesProps extends Pick<Props, 'chartable' | 'kind' | 'view' | 'onView'> {
  readonly chosen: readonly string[];
  readonly split: string;
  readonly data: ResultChart;
  readonly index: number | null;
}

/** What the chart draws, and the choice of it. */
function Series({ chartable, chosen, kind, split, data, index, view, onView }: SeriesProps): VNode {
  const { numbers, splits } = chartable;
  const draw = (names: readonly string[]): void => {
    if (names.length > 0) onView(viewWith(view, 'of', names.join()));
  };
  const toggle = (name: string): void => {
    draw(numbers.filter((one) => (one === name) !== chosen.includes(one)));
  };
  const isOne = kind === 'bars' || split !== '';
  return (
    <>
      {isOne && (
        <Choice
          title="Value"
          of={numbers}
          value={chosen[0] ?? ''}
          onValue={(name) => {
            draw([name]);
          }}
        />
      )}
      {isOne ? (
        <Legend data={data} index={index} />
      ) : (
        <SeriesChoice {...{ chartable, chosen, data, index, toggle }} />
      )}
      {splits.length > 0 && (
        <Choice
          title="One for each"
          of={splits}
          value={split}
          none="column"
          onValue={(by) => {
            onView(viewWith(view, 'by', by));
          }}
        />
      )}
    </>
  );
}

const nameOf = ({ name, isRight }: ResultChart['lines'][number]): string =>
  isRight ? `${name} (right axis)` : name;

function timeText(
  { times }: ResultChart,
  index: number | null,
  { zone, isDate }: { readonly zone: string; readonly isDate: boolean },
): string {
  const at = index === null ? undefined : times[index];
  if (at === undefined) return isDate ? '' : zone;
  const { clock, offset } = inZone(at * 1000, zone);
  if (isDate) return clock.slice(0, 10);
  return `${clock.replace('T', ' ').replace('.000', '')} ${zone === UTC ? UTC : offset}`;
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

interface SeriesChoiceProps {
  readonly chartable: Chartable;
  readonly chosen: readonly string[];
  readonly data: ResultChart;
  readonly index: number | null;
  readonly toggle: (name: string) => void;
}

function SeriesChoice({ chartable, chosen, data, index, toggle }: SeriesChoiceProps): VNode {
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
