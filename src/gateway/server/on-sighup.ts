import { closeSync, openSync } from 'node:fs';

/**
 * Handles SIGHUP, which would end the process by default: calls `stop` if the terminal of the process was closed, and
 * otherwise `onRequest`, because an operator sent the signal.
 */
export function onSighup(stop: (signal: string) => void, onRequest: () => void): void {
  process.on('SIGHUP', (signal) => {
    if (hasLostItsTerminal()) stop(signal);
    else onRequest();
  });
}

/** Whether the process was started on a terminal that is closed now. */
function hasLostItsTerminal(): boolean {
  if (!process.stdout.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}
