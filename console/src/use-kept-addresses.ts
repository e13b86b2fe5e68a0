import { useState } from 'preact/hooks';

import { toFragment, type Address } from './model/address.js';

/** Addresses of calls, newest first, without secrets, in this browser. */
type Kept = readonly Address[];

const STORED = { favourites: 'querygate.favourites', recent: 'querygate.recent' } as const;

const MOST_RECENT = 20;
/** Characters of an address that is remembered as one of the last. */
const LONGEST = 4096;

function read(name: keyof typeof STORED): Kept {
  try {
    return JSON.parse(localStorage.getItem(STORED[name]) ?? '[]') as Kept;
  } catch {
    return [];
  }
}

function write(name: keyof typeof STORED, addresses: Kept): void {
  try {
    localStorage.setItem(STORED[name], JSON.stringify(addresses));
  } catch {
    // The browser's storage is full: what it has stays, and this page works without it.
  }
}

/** The call of an address, however its result is shown. */
const callOf = ({ endpoint, values }: Address): string => toFragment({ endpoint, values });

const without = (addresses: Kept, address: Address): Kept =>
  addresses.filter((one) => callOf(one) !== callOf(address));

/** What this browser remembers of calls: those that somebody chose, and the last ones. */
export interface KeptAddresses {
  readonly favourites: Kept;
  readonly recent: Kept;
  readonly isFavourite: (address: Address) => boolean;
  readonly toggleFavourite: (address: Address) => void;
  readonly noteCall: (address: Address) => void;
  readonly forgetRecent: () => void;
}

export function useKeptAddresses(): KeptAddresses {
  const [favourites, setFavourites] = useState(() => read('favourites'));
  const [recent, setRecent] = useState(() => read('recent'));
  const isFavourite = (address: Address): boolean =>
    favourites.some((one) => callOf(one) === callOf(address));
  const keepRecent = (addresses: Kept): void => {
    write('recent', addresses);
    setRecent(addresses);
  };
  return {
    favourites,
    recent,
    isFavourite,
    toggleFavourite: (address) => {
      // Another tab can have changed it since.
      const others = without(read('favourites'), address);
      const next = isFavourite(address) ? others : [address, ...others];
      write('favourites', next);
      setFavourites(next);
    },
    noteCall: (address) => {
      if (callOf(address).length > LONGEST) return;
      keepRecent([address, ...without(read('recent'), address)].slice(0, MOST_RECENT));
    },
    forgetRecent: () => {
      keepRecent([]);
    },
  };
}
