import type { Clock } from '../query/ports.js';

/** A clock for pauses, stalls and budgets: it goes on evenly, whatever happens to the clock of the system. */
export const steadyClock: Clock = () => new Date(performance.timeOrigin + performance.now());
