import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { findRunningServer } from '../../src/commands/embedded/running-server.js';
import { pollUntil } from '../support/poll-until.js';
import { QUERYGATE, runAlone, runCli, runInBash, type Outcome } from '../support/run-cli.js';
import { GATEWAY, startProcess } from '../support/start-process.js';
import { makeTemporaryFolder } from '../support/temporary-folder.js';
import { openForAll } from '../support/opened.js';

describe('querygate', () => {
  it.each([
    [['servee'], 'Did you mean serve?'],
    [['call'], "missing required argument 'endpoint'"],
    [['call', 'logs.all', '--frmat', 'csv'], 'Did you mean --format?'],
    [['call', 'logs.all', '--format', 'xml'], 'Allowed choices are json'],
    [['call', 'logs.all', '--url', 'gateway'], 'must begin with http://'],
    [['call', 'logs.all', '--param', 'project'], '--param must be name=value'],
    [['call', 'logs.all', '--key', 'a b'], 'characters that no key has'],
    [['check', 'nothing'], 'No endpoint has the name or id "nothing". Use one of '],
    [['keys', 'list'], 'Set API_KEYS_FILE'],
    [['keys', 'lst'], 'Did you mean list?'],
  ])('reports what is wrong with %j, on standard error only, and exits with 2', async (args, message) => {
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('\u001b');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    ['calls', ['--since', '7d'], 'querygate replay --save'],
    ['mcp', ['--tag', 'shop'], 'npx mcp-remote'],
    ['usage', ['--by', 'key', '--csv'], 'querygate call gateway.usage'],
    ['endpoints', ['--since', '7d', '--callers'], 'querygate call gateway.callers'],
  ])(
    'says in one line what replaces the removed %s, and exits with 2',
    async (name, options, replacement) => {
      const { code, stdout, stderr } = await runCli([name, ...options]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^error: querygate [^\n]* was removed: [^\n]*\n$/);
      expect(stderr).toContain(replacement);
    },
  );

  it('prints help and version on standard output', async () => {
    for (const args of [[], ['--help'], ['help', 'call'], ['keys', 'add', '--help'], ['--version']]) {
      expect(await runCli(args)).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it.each([['migrate'], ['grants'], ['load', 'orders', '-']])(
    '%s exits with 1 and an error that names the server if ClickHouse is unreachable',
    async (...args) => {
      const { code, stdout, stderr } = await runAlone(args, { CLICKHOUSE_URL: 'http://127.0.0.1:1' });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        /^error: ClickHouse at http:\/\/127\.0\.0\.1:1 does not respond: .*ECONNREFUSED.*\n$/,
      );
    },
  );

  it.each(['serve', 'dev'])('%s says that --port is no port', async (command) => {
    const { code, stderr } = await runAlone([command, '--port', 'http']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/PORT must be a number/)]);
  });

  it('does not treat a closed pipe as a failure', async () => {
    const script = 'set -o pipefail; querygate openapi | head -c 1; querygate --help | true';
    expect(await runInBash(script)).toMatchObject({ code: 0, stdout: '{', stderr: '' });
  });

  it('serves on the port of --port, and exits with 0 on SIGINT', async () => {
    const environment = { CLICKHOUSE_URL: 'http://127.0.0.1:1', API_KEY: 'k', PORT: '1' };
    const gateway = startProcess([...GATEWAY, '--port', '0'], environment);
    await gateway.untilWritten(/"message":"ready"/);
    gateway.child.kill('SIGINT');
    expect(await gateway.ended).toBe(0);
  });
});

describe('querygate without CLICKHOUSE_URL', () => {
  const folder = openForAll(makeTemporaryFolder);
  let migrated: Outcome;

  beforeAll(async () => {
    migrated = await runAlone(['migrate'], { DATA_DIR: folder.path });
  });

  it('migrates a server in DATA_DIR, and reports the duration of each schema file', () => {
    const { code, stdout, stderr } = migrated;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^applied clickhouse-schema\/0003_function_relay_logs\.sql in \d+ ms$/m);
    expect(stdout).toMatch(/^\d+ applied now, 0 applied before\n$/m);
  });

  it('exits with 130 on SIGINT, and leaves no server behind', async () => {
    const child = spawn(process.execPath, [QUERYGATE, 'load', 'edge_logs', '-'], {
      env: { PATH: process.env['PATH'], DATA_DIR: folder.path },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const output = text(child.stderr);
    await pollUntil('its ClickHouse runs', () => findRunningServer(folder.path), 25_000);
    child.kill('SIGINT');
    await once(child, 'close');
    expect([child.exitCode, await output]).toEqual([130, '']);
    const gateway = startProcess(GATEWAY, {
      DATA_DIR: folder.path,
      DEMO_DATA: 'off',
      API_KEY: 'k',
      PORT: '0',
    });
    await gateway.untilWritten(/"message":"ready"/);
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toBe(0);
  });
});
