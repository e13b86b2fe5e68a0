/** Milliseconds by which the clocks of two gateways, or one clock before and after it is set, may differ. */
export const MAX_CLOCK_SKEW_MS = 5000;

/**
 * Returns a time, or 0 if it is further in the future than clocks may differ. Such a time is meaningless: it was recorded before the clock
 * was set back, or by a gateway whose clock is fast.
 *
 * @param at milliseconds since 1970, as is `now`.
 */
export function unlessFromFuture(at: number, now: number): number {
  return at > now + MAX_CLOCK_SKEW_MS ? 0 : at;
}
