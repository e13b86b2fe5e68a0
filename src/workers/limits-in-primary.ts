import type { SharedLimits } from '../limits/shared-limits.js';
import type { PrimaryLink } from './primary-link.js';

/**
 * Limits that all workers count together.
 *
 * @param permitMs milliseconds for which a permit is good: longer than any query, its wait included.
 */
export function limitsInPrimary(link: PrimaryLink, permitMs: number): SharedLimits {
  return {
    add: (name, amount, windowSeconds) => link.ask('limits.add', { name, amount, windowSeconds }),
    read: (name) => link.ask('limits.read', name),
    takePermit: (permit, max) => link.ask('limits.take', { permit, max, permitMs }),
    givePermit: (permit) => {
      link.tell('limits.give', permit);
      return Promise.resolve();
    },
  };
}
