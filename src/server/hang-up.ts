import { closeSync, openSync } from 'node:fs';

/**
 * What SIGHUP means: to a process whose terminal has gone, its end, and else what the operator wants of it. Left alone it
 * would end any process at once.
 */
export function onHangUp(stop: (signal: string) => void, onRequest: () => void): void {
  process.on('SIGHUP', (signal) => {
    if (hasLostItsTerminal()) stop(signal);
    else onRequest();
  });
}

/** Whether nobody is there any more to end this process with Ctrl-C. */
function hasLostItsTerminal(): boolean {
  if (!process.stdout.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}
