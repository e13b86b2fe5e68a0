import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 20;

/**
 * Runs a check until it returns a value, for conditions without an event (another process, another server).
 *
 * @throws Error naming the condition when the time is over.
 */
export async function pollUntil<T>(
  condition: string,
  check: () => Promise<T | undefined> | T | undefined,
  withinMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    const result = await check();
    if (result !== undefined) return result;
    await delay(PAUSE_MS);
  }
  throw new Error(`${condition}: not within ${withinMs} ms`);
}
