/**
 * Runs a check on each item concurrently, and settles only when all checks have settled. Promise.all settles with the
 * first rejection; the other checks would still run while the next test, or the next run of a property, changes their
 * data.
 *
 * @param atOnce how many checks run at the same time.
 * @throws the rejection of the first failed check.
 */
export async function settleAll<T>(
  items: readonly T[],
  check: (item: T, index: number) => Promise<void>,
  atOnce = items.length,
): Promise<void> {
  const waiting = [...items.entries()];
  const failures = new Map<number, unknown>();
  const checkNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, item] = next;
      await check(item, index).catch((error: unknown) => failures.set(index, error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, checkNext));
  const [first] = [...failures.keys()].sort((a, b) => a - b);
  if (first !== undefined) throw failures.get(first);
}
