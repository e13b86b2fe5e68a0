import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 20;

/**
 * Asks again and again until the answer is one, for what nobody announces (another process, another server).
 *
 * @throws Error saying what was awaited, when it did not come in time.
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
