import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';

import type { Endpoint, Values } from '../model/endpoint.js';
import type { Buckets } from '../model/time-buckets.js';
import { lastRange, movedRange, rangeParameters, RANGES, type Ranged } from '../model/time-range.js';

interface Props {
  readonly endpoint: Endpoint;
  readonly values: Values;
  /** The buckets of the result that is shown, where it has some. */
  readonly bucketsOf: () => Buckets | undefined;
  /** Fills in values and runs the endpoint with them. */
  readonly onRun: (values: Values) => void;
}

/** Buttons for the range of time of an endpoint that has one. */
export function TimeRange({ endpoint, values, bucketsOf, onRun }: Props): VNode | null {
  const known = useRef<Buckets | undefined>(undefined);
  if (!rangeParameters(endpoint)) return null;
  const ranged: Ranged = { endpoint, values, now: Date.now() / 1000 };
  const snapped = (): Ranged => {
    // A result of a single bucket does not say how long it is.
    known.current = bucketsOf() ?? known.current;
    return { ...ranged, now: Date.now() / 1000, buckets: known.current };
  };
  const move = (direction: -1 | 1): void => {
    const moved = movedRange(snapped(), direction);
    if (moved) onRun(moved);
  };
  const canMove = movedRange(ranged, -1) !== undefined;
  return (
    <div class="ranges" role="group" aria-label="Range of time">
      <span class="hint">Last</span>
      {RANGES.map(([title, seconds]) => (
        <button
          key={title}
          type="button"
          onClick={() => {
            onRun(lastRange(snapped(), seconds));
          }}
        >
          {title}
        </button>
      ))}
      {canMove && (
        <>
          <button
            type="button"
            onClick={() => {
              move(-1);
            }}
          >
            Previous
          </button>
          <button
            type="button"
            onClick={() => {
              move(1);
            }}
          >
            Next
          </button>
        </>
      )}
    </div>
  );
}
