import type { LeaseStore } from '../warming/leader-lease.js';
import type { PrimaryLink } from './primary-link.js';

/** The lease of the one worker that warms. */
export function leaseInPrimary(link: PrimaryLink): LeaseStore {
  return {
    take: (token, leaseMs) => link.ask('lease.take', { token, leaseMs }),
    renew: (token, leaseMs) => link.ask('lease.renew', { token, leaseMs }),
    release: (token) => {
      link.tell('lease.release', token);
      return Promise.resolve();
    },
  };
}
