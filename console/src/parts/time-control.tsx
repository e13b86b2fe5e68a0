import type { VNode } from 'preact';

import { readIsoTime } from '../model/time-range.js';
import { inZone, UTC } from '../model/zone.js';
import { useZone } from '../chosen-zone.js';
import { Input, type ControlProps } from './input.js';

/** A text field, which alone accepts microseconds, zones and relative times, beside the browser's picker, which is in the zone of the page. */
export function TimeControl(props: ControlProps): VNode {
  const { parameter, value = '', onValue } = props;
  const zone = useZone();
  const at = readIsoTime(value);
  return (
    <div class="time">
      <Input {...props} />
      <input
        type="datetime-local"
        step="1"
        aria-label={`Pick ${parameter.name}, in ${zone}`}
        title={`Pick a time, in ${zone}`}
        value={at === undefined ? '' : inZone(at, zone).clock.slice(0, 19)}
        onInput={(event) => {
          const picked = event.currentTarget.value;
          // A time without an offset is one of the browser's zone.
          const ms = Date.parse(zone === UTC ? `${picked}Z` : picked);
          if (!Number.isNaN(ms)) onValue(new Date(ms).toISOString().replace('.000Z', 'Z'));
        }}
      />
    </div>
  );
}
