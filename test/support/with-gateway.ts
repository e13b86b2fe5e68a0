import { GATEWAY, startProcess, type RunningProcess } from './start-process.js';

const READY = /"message":"ready".*"url":"(http:\/\/127\.0\.0\.1:\d+)"/;

/** Runs a test's body with the built gateway, then kills the gateway if it still runs. */
export async function withGateway(
  environment: Readonly<Record<string, string>>,
  use: (gateway: RunningProcess) => Promise<void>,
): Promise<void> {
  const gateway = startProcess(GATEWAY, { PORT: '0', ...environment });
  try {
    await use(gateway);
  } finally {
    gateway.child.kill('SIGKILL');
    await gateway.ended;
  }
}

/** Resolves to the URL on which the gateway listens. */
export async function urlOf(gateway: RunningProcess): Promise<string> {
  return (await gateway.untilWritten(READY))[1] ?? '';
}
