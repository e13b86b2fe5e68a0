/**
 * Runs a check on each item at the same time, and ends only when all of them have ended. Promise.all ends with the first
 * rejection; the others then still run while the next test, or the next run of a property, changes what they read.
 *
 * @throws what the first failed check rejects with.
 */
export async function settleAll<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const outcomes = await Promise.allSettled(items.map(check));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
