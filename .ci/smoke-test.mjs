/** Runs the first command of the README and every curl line that it prints, and stops it as a supervisor would. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ENDPOINTS = 5;
const START_TIMEOUT_MS = 90_000;

const dataDir = await mkdtemp(path.join(tmpdir(), 'querygate-smoke-'));
const gateway = spawn('npm', ['start'], {
  env: { ...process.env, DATA_DIR: dataDir },
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
});
try {
  const { calls, pid } = await whatItPrints();
  for (const call of calls) {
    const response = JSON.parse(execFileSync('bash', ['-c', call], { encoding: 'utf8' }));
    if (!(response.result?.length > 0)) throw new Error(`no rows: ${call}\n${JSON.stringify(response)}`);
    console.log(`${response.result.length} rows: ${call.replace(/qg_[\w-]+/, '…')}`);
  }
  const exited = once(gateway, 'exit');
  // Signals only the gateway: npm exits with the gateway's exit code.
  process.kill(pid, 'SIGTERM');
  const [code] = await exited;
  if (code !== 0) throw new Error(`npm start ended with exit code ${code} on SIGTERM`);
} finally {
  if (gateway.exitCode === null && gateway.signalCode === null) process.kill(-gateway.pid, 'SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
}

async function whatItPrints() {
  const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
  let printed = '';
  gateway.stdout.on('data', (chunk) => {
    printed += chunk;
    process.stdout.write(chunk.toString().replaceAll(/qg_[\w-]+/g, '…'));
  });
  for (;;) {
    const calls = printed.match(/^\s*curl .*(?=\n)/gm) ?? [];
    const pid = Number(/"pid":(\d+)/.exec(printed)?.[1]);
    if (calls.length === ENDPOINTS && pid > 0) return { calls: calls.map((call) => call.trim()), pid };
    await once(gateway.stdout, 'data', { signal: deadline });
  }
}
