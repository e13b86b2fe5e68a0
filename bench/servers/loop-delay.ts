/**
 * Loaded into a server before it starts: on SIGUSR2, writes to `LOOP_DELAY_FILE` how many milliseconds a timer of 1 ms came late
 * since the last time (p99.9).
 */
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const TIMER_MS = 1;
const file = process.env['LOOP_DELAY_FILE'] ?? '';
const delay = monitorEventLoopDelay({ resolution: TIMER_MS });
delay.enable();
process.on('SIGUSR2', () => {
  writeFileSync(`${file}-`, String(delay.percentile(99.9) / 1e6 - TIMER_MS));
  renameSync(`${file}-`, file);
  delay.reset();
});
