import type { VNode } from 'preact';

import { UTC } from '../model/zone.js';
import { browserZone, storeZone, useZone } from '../chosen-zone.js';

/** Chooses the zone of all times; nothing to choose where the browser's zone is UTC. */
export function ZoneSwitch({ onZone }: { readonly onZone: (zone: string) => void }): VNode | null {
  const zone = useZone();
  const local = browserZone();
  if (local === UTC || local === 'Etc/UTC') return null;
  return (
    <label class="zone">
      <span class="unseen">Time zone</span>
      <select
        value={zone}
        onChange={({ currentTarget: { value } }) => {
          storeZone(value);
          onZone(value);
        }}
      >
        <option value={UTC}>UTC</option>
        <option value={local}>{local}</option>
      </select>
    </label>
  );
}
