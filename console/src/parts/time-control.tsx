import type { VNode } from 'preact';

import { readIsoTime } from '../model/time-range.js';
import { Input, type ControlProps } from './input.js';

/** A text field, which alone accepts microseconds, zones and relative times, beside the browser's picker, which fills in UTC. */
export function TimeControl(props: ControlProps): VNode {
  const { parameter, value = '', onValue } = props;
  return (
    <div class="time">
      <Input {...props} />
      <input
        type="datetime-local"
        step="1"
        aria-label={`Pick ${parameter.name}, in UTC`}
        title="Pick a time, in UTC"
        value={pickedIn(value)}
        onInput={(event) => {
          const local = event.currentTarget.value;
          if (local !== '') onValue(`${local.length === 16 ? `${local}:00` : local}Z`);
        }}
      />
    </div>
  );
}

function pickedIn(value: string): string {
  const at = readIsoTime(value);
  return at === undefined ? '' : new Date(at).toISOString().slice(0, 19);
}
