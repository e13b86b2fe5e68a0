import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';

import { viewWith } from '../model/address.js';
import type { Row, Values } from '../model/endpoint.js';
import type { Rankable } from '../model/result-shape.js';
import { topBars } from '../model/top-bars.js';
import { Choice } from './choice.js';
import { Digits } from './digits.js';
import { Filter, type FilterOf } from './filter.js';

interface Props {
  readonly rankable: Rankable;
  readonly rows: readonly Row[];
  /** Whether the rows have an order that their query gives them. */
  readonly isOrdered: boolean;
  readonly view: Values;
  readonly onView: (view: Values) => void;
  readonly filterOf: FilterOf;
}

/** The labels with the highest sums of a number, as bars. */
export function Bars({ rankable, rows, isOrdered, view, onView, filterOf }: Props): VNode {
  const { labels, numbers } = rankable;
  const label = labels.find((name) => name === view['by']) ?? labels[0] ?? '';
  const number = numbers.find((name) => name === view['of']) ?? numbers[0] ?? '';
  const { bars, isSum } = useMemo(
    () => topBars(rows, label, number, isOrdered),
    [rows, label, number, isOrdered],
  );
  // What all others have together is no bar: it can be longer than the highest.
  const highest = bars.reduce((most, { height, isRest }) => (isRest ? most : Math.max(most, height)), 0);
  return (
    <figure class="chart-panel">
      <div class="toolbar">
        <Choice
          title="Bars of"
          of={numbers}
          value={number}
          onValue={(of) => {
            onView(viewWith(view, 'of', of));
          }}
        />
        <Choice
          title="for each"
          of={labels}
          value={label}
          onValue={(by) => {
            onView(viewWith(view, 'by', by));
          }}
        />
      </div>
      <ol
        class="bars"
        aria-label={`${number} for each ${label}, ${isOrdered ? 'in the order of the rows' : 'highest first'}`}
      >
        {bars.map(({ label: text, value, height, text: digits, isRest }) => (
          <li key={`${text} ${value ?? ''}`}>
            <Filter text={text} onFilter={value === undefined ? undefined : filterOf(label, value)} />
            <svg aria-hidden="true" height="14" width="100%">
              {!isRest && highest > 0 && <rect height="14" width={`${(100 * height) / highest}%`} />}
            </svg>
            <span class="value">
              <Digits text={digits} />
            </span>
          </li>
        ))}
      </ol>
      {isSum && <p class="hint">{`Values of rows with the same ${label} are added.`}</p>}
    </figure>
  );
}
