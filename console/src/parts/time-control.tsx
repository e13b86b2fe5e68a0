import type { VNode } from 'preact';

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
  if (!/^\d{4}-\d\d-\d\d/.test(value)) return '';
  const at = new Date(value.replace(' ', 'T').replace(/(T[\d:.]+)$/, '$1Z'));
  return Number.isNaN(at.getTime()) ? '' : at.toISOString().slice(0, 19);
}
