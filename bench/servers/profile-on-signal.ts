/**
 * Loaded into a gateway before it starts: profiles the CPU from SIGUSR2 on, and writes the profile to `PROFILE_FILE` at the end of
 * the process.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

const INTERVAL_MICROSECONDS = 100;

process.once('SIGUSR2', () => {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROSECONDS });
  session.post('Profiler.start');
  process.once('exit', () => {
    // The session is of this thread, so that the callback runs at once.
    session.post('Profiler.stop', (_error, { profile }) => {
      writeFileSync(process.env['PROFILE_FILE'] ?? '', JSON.stringify(profile));
    });
  });
});
