import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';

import { viewWith } from '../model/address.js';
import { mayBeEmpty, SQL, type Column, type Endpoint, type Row, type Values } from '../model/endpoint.js';
import { isList } from '../model/parameter.js';
import { pivoted } from '../model/pivot.js';
import { isOrdered, kindIn, shapeOf, type Kind, type Shape } from '../model/result-shape.js';
import { rangeBetween, rangeOf, rangeParameters, zoneOf } from '../model/time-range.js';
import { instantOf, UTC, wallTime } from '../model/zone.js';
import { Bars } from './bars.js';
import { ChartPanel } from './chart-panel.js';
import type { FilterOf } from './filter.js';
import { LogTable } from './log-table.js';
import { Numbers } from './numbers.js';
import { ResultTable } from './result-table.js';

interface Props {
  readonly endpoint: Endpoint;
  readonly columns: readonly Column[];
  /** The rows; at least one. */
  readonly rows: readonly Row[];
  /** Which rows these are, where the result has more. */
  readonly cut: string | undefined;
  /** The first and the last of them, each where there are others beyond it. */
  readonly edges: readonly Row[];
  /** When the rows were current, in seconds since 1970. */
  readonly now: number;
  /** Values of the request that returned the rows. */
  readonly values: Values;
  readonly view: Values;
  readonly onView: (view: Values) => void;
  /** Runs the endpoint with other values. */
  readonly onValues: (values: Values) => void;
}

const TITLES: Readonly<Record<Kind, string>> = {
  line: 'Lines',
  bars: 'Bars',
  stacked: 'Stacked',
  number: 'Number',
  pivot: 'Pivot',
  log: 'Log',
  table: 'Table',
};

/** The rows of a result, in one of the ways that they are good for. */
export function ResultBody(props: Props): VNode {
  const { endpoint, columns, rows, cut, values, view, onView, onValues } = props;
  const isCut = cut !== undefined;
  const shape = useMemo(() => shapeOf(columns, rows, isCut), [columns, rows, isCut]);
  const { kinds, log, numbers } = shape;
  const kind = kindIn(view, shape);
  const pivot = kind === 'pivot' ? shape.pivot : undefined;
  const table = useMemo(() => (pivot ? pivoted(pivot, rows) : { columns, rows }), [pivot, columns, rows]);
  const filterOf: FilterOf = (column, text) => {
    const parameter = endpoint.parameters.find(({ name }) => name === column);
    if (!parameter || parameter.secret || parameter.pinned || parameter.kind === 'timestamp')
      return undefined;
    if (values[column] === text || (isList(parameter) && text.includes(','))) return undefined;
    if (text === '' && !mayBeEmpty(parameter)) return undefined;
    return () => {
      onValues({ ...values, [column]: text });
    };
  };
  return (
    <>
      {kinds.length > 1 && (
        <div class="kinds" role="group" aria-label="Show as">
          {kinds.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === kind}
              onClick={() => {
                onView(viewWith(view, 'as', one));
              }}
            >
              {TITLES[one]}
            </button>
          ))}
        </div>
      )}
      {isCut && kind !== 'table' && kind !== 'log' && <p class="hint">Drawn of {cut}.</p>}
      {kind === 'number' && <Numbers names={numbers} row={rows[0] ?? {}} />}
      <Drawn {...props} {...{ kind, shape, filterOf }} />
      {kind === 'log' && log ? (
        <LogTable {...{ log, columns, rows, filterOf }} />
      ) : (
        <ResultTable key={kind} endpoint={endpoint.name} {...table} filterOf={filterOf} />
      )}
    </>
  );
}

interface DrawnProps extends Props {
  readonly kind: Kind;
  readonly shape: Shape;
  readonly filterOf: FilterOf;
}

/** The chart, where the result has one and the kind is one of a chart. */
function Drawn(props: DrawnProps): VNode | null {
  const { endpoint, rows, edges, now, values, view, onView, onValues, kind, shape, filterOf } = props;
  if (kind !== 'line' && kind !== 'bars' && kind !== 'stacked') return null;
  const { chartable, rankable } = shape;
  if (rankable) {
    const ordered = isOrdered(endpoint, values[SQL], rankable);
    return <Bars {...{ rankable, rows, view, onView, filterOf }} isOrdered={ordered} />;
  }
  if (!chartable) return null;
  const parameters = rangeParameters(endpoint);
  const zone = zoneOf(endpoint, values);
  // Dates are those of the clocks of the zone.
  const inChart = (at: number): number => (chartable.isDate ? wallTime(at, zone) : at);
  const ofChart = (at: number): number => (chartable.isDate ? instantOf(at, zone) : at);
  const { from = -Infinity, to = Infinity } = rangeOf(endpoint, values, now);
  const onRange =
    parameters?.to &&
    ((first: number, last: number): void => {
      const ranged = rangeBetween(parameters, values, ofChart(first), ofChart(last));
      if (ranged) onValues(ranged);
    });
  return (
    <ChartPanel
      {...{ chartable, rows, edges, kind, view, onView, onRange }}
      zone={chartable.isDate ? UTC : zone}
      now={inChart(now)}
      from={inChart(from)}
      to={inChart(to)}
    />
  );
}
