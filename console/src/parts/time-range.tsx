import type { VNode } from 'preact';

import type { Endpoint, Values } from '../model/endpoint.js';
import { lastRange, movedRange, rangeParameters, RANGES } from '../model/time-range.js';

interface Props {
  readonly endpoint: Endpoint;
  readonly values: Values;
  /** Fills in values and runs the endpoint with them. */
  readonly onRun: (values: Values) => void;
}

/** Buttons for the range of time of an endpoint that has one. */
export function TimeRange({ endpoint, values, onRun }: Props): VNode | null {
  const parameters = rangeParameters(endpoint);
  if (!parameters) return null;
  const move = (direction: -1 | 1): void => {
    const moved = movedRange(parameters, values, direction, new Date());
    if (moved) onRun(moved);
  };
  const canMove = movedRange(parameters, values, -1, new Date()) !== undefined;
  return (
    <div class="ranges" role="group" aria-label="Range of time">
      <span class="hint">Last</span>
      {RANGES.map(([title, seconds]) => (
        <button
          key={title}
          type="button"
          onClick={() => {
            onRun(lastRange(parameters, values, seconds, new Date()));
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
