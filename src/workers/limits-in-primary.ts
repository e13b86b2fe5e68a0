import type { SharedLimits, SharedQuotas } from '../limits/shared-limits.js';
import type { PrimaryLink } from './primary-link.js';

/**
 * Limits that all workers count together.
 *
 * @param quotas how requests are counted.
 * @param permitMs milliseconds for which a permit is good: longer than any query, its wait included.
 */
export function limitsInPrimary(link: PrimaryLink, quotas: SharedQuotas, permitMs: number): SharedLimits {
  return {
    add: (name, amount, windowSeconds) => link.ask('limits.add', { name, amount, windowSeconds }),
    read: (name) => link.ask('limits.read', name),
    takePermit: (permit, max) => link.ask('limits.take', { permit, max, permitMs }),
    givePermit: (permit) => {
      link.tell('limits.give', permit);
      return Promise.resolve();
    },
    quotas,
  };
}
