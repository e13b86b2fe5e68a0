/**
 * Runs a check on each item concurrently, and settles only when all checks have settled. Promise.all settles with the
 * first rejection; the other checks would still run while the next test, or the next run of a property, changes their
 * data.
 *
 * @throws the rejection of the first failed check.
 */
export async function settleAll<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const outcomes = await Promise.allSettled(items.map(check));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
