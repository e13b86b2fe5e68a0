import type { Clock } from '../query/ports.js';

/** A monotonic clock for pauses, stalls and budgets: changes of the system clock do not affect it. */
export const steadyClock: Clock = () => new Date(performance.timeOrigin + performance.now());
