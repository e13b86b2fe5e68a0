/** Milliseconds by which the clocks of two gateways may differ, or one clock from itself before it was set. */
export const MAX_CLOCK_SKEW_MS = 5000;

/**
 * A point in time, or 0 where it lies in the future by more than clocks may differ: it was noted before the clock was set
 * back, or by a gateway whose clock is fast, and says nothing.
 *
 * @param at milliseconds since 1970, as is `now`.
 */
export function unlessFromFuture(at: number, now: number): number {
  return at > now + MAX_CLOCK_SKEW_MS ? 0 : at;
}
