import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import { UTC } from './model/zone.js';

const STORED = 'querygate.zone';

/** The zone in which the page shows times: UTC, or that of the browser. */
export const Zone = createContext(UTC);

export const useZone = (): string => useContext(Zone);

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone chosen in this browser. */
export const storedZone = (): string => (localStorage.getItem(STORED) === 'browser' ? browserZone() : UTC);

/** Stores whether the zone is that of the browser, not its name: a browser can travel. */
export function storeZone(zone: string): void {
  if (zone === UTC) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, 'browser');
}
