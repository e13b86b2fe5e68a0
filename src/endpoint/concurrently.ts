/**
 * Runs a task for each item, in order and some at a time.
 *
 * @param most tasks at a time.
 * @throws the first error of a task; the others go on
 */
export async function concurrently<T>(
  items: readonly T[],
  most: number,
  task: (item: T) => Promise<unknown>,
): Promise<void> {
  // The tasks take their items from one iterator.
  const waiting = items.values();
  const next = async (): Promise<void> => {
    for (const item of waiting) await task(item);
  };
  await Promise.all(Array.from({ length: most }, next));
}
