import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { demoDatabase, variablesOf } from '../support/demo-database.js';
import { QUERYGATE, runCli, runInBash, type Outcome } from '../support/run-cli.js';
import { GATEWAY, startProcess, type RunningProcess } from '../support/start-process.js';
import {
  makeTemporaryFolder,
  withTemporaryFolder,
  type TemporaryFolder,
} from '../support/temporary-folder.js';

const DAILY = ['usage.api-counts', '--param', 'project=aurora', '--param', 'interval=daily'];
const READY = /"url":"(http:\/\/127\.0\.0\.1:\d+)"/;

/** Runs a test's body with a server that responds as no gateway should. */
async function withServer(respond: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

describe('querygate call', () => {
  let gateway: RunningProcess;
  let environment: Record<string, string>;
  let folder: TemporaryFolder;

  const call = (...args: readonly string[]): Promise<Outcome> => runCli(['call', ...args], environment);

  beforeAll(async () => {
    folder = await makeTemporaryFolder();
    const { connection } = await demoDatabase();
    gateway = startProcess(GATEWAY, { PORT: '0', ...variablesOf(connection), API_KEY: 'the-key' });
    const [, url = ''] = await gateway.untilWritten(READY);
    environment = { QUERYGATE_URL: url, QUERYGATE_KEY: 'the-key' };
  });

  afterAll(async () => {
    gateway.child.kill('SIGTERM');
    await gateway.ended;
    await folder.remove();
  });

  it('writes only the rows to standard output', async () => {
    const { code, stdout, stderr } = await call(...DAILY);
    expect([code, stderr]).toEqual([0, '']);
    expect((JSON.parse(stdout) as { result: unknown[] }).result).not.toHaveLength(0);
  });

  it('requests other formats', async () => {
    const { code, stdout } = await call(...DAILY, '--format', 'csv');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^"?timestamp"?,"?total_rest_requests"?/);
    expect((await call(...DAILY, '--format', 'CSV')).stdout).toBe(stdout);
    const unknown = await call(...DAILY, '--format', 'xlsx');
    expect(unknown).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('ndjson') as unknown,
    });
  });

  it('shows a table where it is asked for, and on a terminal', async () => {
    const { code, stdout, stderr } = await call(...DAILY, '--format', 'table');
    expect([code, stderr]).toEqual([0, '']);
    const [headings, first] = stdout.split('\n');
    expect(headings).toMatch(/^timestamp +total_rest_requests /);
    expect(first).toMatch(/^\d{4}-\d\d-\d\dT00:00:00Z +\d+ /);
    const file = path.join(folder.path, 'table.txt');
    expect(await call(...DAILY, '--format', 'table', '--output', file)).toMatchObject({
      code: 2,
      stderr: 'error: A table is for reading. Use another --format with --output, such as csv.\n',
    });
    const inTerminal = `script -qec 'querygate call ${DAILY.join(' ')}' /dev/null`;
    const shown = await runInBash(inTerminal, { ...environment, SHELL: '/bin/bash' });
    expect(shown.stdout.replaceAll('\r', '')).toBe(stdout);
  });

  it('accepts the key from API_KEY and --key as well', async () => {
    const { QUERYGATE_URL: url = '' } = environment;
    expect((await runCli(['call', ...DAILY], { QUERYGATE_URL: url, API_KEY: 'the-key' })).code).toBe(0);
    expect((await runCli(['call', ...DAILY, '--url', url, '--key', 'the-key'])).code).toBe(0);
  });

  it('warns of truncated results', async () => {
    const { code, stderr } = await call(
      '--format',
      'table',
      'logs.all',
      '--param',
      'project=aurora',
      '--param',
      'project_tier=PRO',
    );
    expect([code, stderr]).toEqual([
      0,
      'warning: the result is truncated to 100 rows, the endpoint’s row cap\n',
    ]);
  });

  it('fails for a parameter that the endpoint does not declare, and names the one that was meant', async () => {
    const misspelt = await call(...DAILY, '--param', 'intervall=daily');
    expect([misspelt.code, misspelt.stdout]).toEqual([3, '']);
    expect(misspelt.stderr).toContain(
      'intervall is no parameter of this endpoint (did you mean “interval”?)',
    );
    const { stderr } = await call(...DAILY, '--sql', 'SELECT 1 AS one FROM result');
    expect(stderr).toContain('sql is no parameter of this endpoint');
  });

  it('writes status and headers to standard error, as JSON on request', async () => {
    expect((await call(...DAILY, '--headers')).stderr).toMatch(/^HTTP 200\n[^]*x-row-count: \d+\n/);
    const { stderr } = await call(...DAILY, '--headers', '--json');
    expect(JSON.parse(stderr)).toMatchObject({
      status: 200,
      headers: { 'x-row-count': expect.any(String) as unknown },
    });
  });

  it('replaces the output file only when the response is complete', async () => {
    const file = path.join(folder.path, 'days.json');
    expect(await call(...DAILY, '--output', file)).toEqual({ code: 0, stdout: '', stderr: '' });
    const written = await readFile(file, 'utf8');
    expect(written).toMatch(/^\{"result":/);
    expect((await call('usage.api-counts', '--output', file)).code).toBe(3);
    expect(await readFile(file, 'utf8')).toBe(written);
    const nowhere = await call(...DAILY, '--output', path.join(folder.path, 'nowhere', 'x'));
    expect([nowhere.code, nowhere.stdout]).toEqual([1, '']);
    expect(nowhere.stderr).toContain('ENOENT');
  });

  it('writes to a device without replacing it', async () => {
    expect(await call(...DAILY, '--output', '/dev/null')).toMatchObject({ code: 0, stdout: '' });
    expect(existsSync('/dev/null')).toBe(true);
  });

  it('does not treat a reader that closes the pipe as a failure', async () => {
    const script = `set -o pipefail; querygate call ${DAILY.join(' ')} --format ndjson | head -1`;
    const { code, stdout, stderr } = await runInBash(script, environment);
    expect([code, stderr, stdout.split('\n').length]).toEqual([0, '', 2]);
  });

  it('prints a rejection as readable text, with exit code 3', async () => {
    const { code, stdout, stderr } = await call('usage.api-counts', '--param', 'interval=yearly');
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(
      /^error: Invalid parameters \(400 INVALID_PARAMETERS\)\n {2}project is required\n {2}interval must be one of .*\n {2}Request id: \S+\n$/,
    );
    const json = await call('usage.api-counts', '--json');
    expect(JSON.parse(json.stderr)).toMatchObject({ status: 400, code: 'INVALID_PARAMETERS' });
    expect((await call('nothing')).stderr).toContain('404 ENDPOINT_NOT_FOUND');
    const rejected = await call(...DAILY, '--key', 'another');
    expect([rejected.code, rejected.stderr]).toEqual([
      3,
      expect.stringContaining('QUERYGATE_KEY') as unknown,
    ]);
  });
});

describe('querygate call, where the gateway fails', () => {
  const call = (url: string, ...more: string[]): Promise<Outcome> =>
    runCli(['call', ...DAILY, '--url', url, '--key', 'k', ...more]);

  it('exits with 4 if ClickHouse is unreachable', async () => {
    const gateway = startProcess(GATEWAY, { PORT: '0', API_KEY: 'k', CLICKHOUSE_URL: 'http://127.0.0.1:1' });
    try {
      const { code, stdout, stderr } = await call((await gateway.untilWritten(READY))[1] ?? '');
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toMatch(/503 CLICKHOUSE_UNREACHABLE[^]*Retry after \d+ s\./);
    } finally {
      gateway.child.kill('SIGKILL');
      await gateway.ended;
    }
  });

  it('exits with 5 if the gateway is unreachable, or the response breaks off', async () => {
    expect(await call('http://127.0.0.1:1')).toMatchObject({ code: 5, stdout: '' });
    const cut: RequestListener = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
      response.write('{"result":[', () => response.destroy());
    };
    await withServer(cut, async (url) => {
      const broken = await call(url);
      expect(broken).toMatchObject({ code: 5, stderr: expect.stringContaining('is incomplete') as unknown });
      await withTemporaryFolder(async (folder) => {
        const file = path.join(folder, 'unchanged.json');
        await writeFile(file, 'old');
        expect((await call(url, '--output', file)).code).toBe(5);
        expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['old', ['unchanged.json']]);
      });
    });
  });

  it('exits with 5 for a 202 that is no state of a query', async () => {
    const odd: RequestListener = (_request, response) => void response.writeHead(202).end('<p>');
    await withServer(odd, async (url) => {
      expect(await call(url)).toMatchObject({ code: 5, stdout: '' });
    });
  });

  it('repeats a request whose query is still running, until it has the rows or an error', async () => {
    const seen: unknown[] = [];
    const slow: RequestListener = ({ url, headers }, response) => {
      seen.push([url, headers['prefer']]);
      const isRunning = seen.length < 3;
      response
        .writeHead(isRunning ? 202 : 200, { 'Content-Type': 'application/json', 'Retry-After': '0' })
        .end(isRunning ? '{"status":"running","elapsedSeconds":1,"timeLimitSeconds":30}' : '{"result":[]}');
    };
    await withServer(slow, async (url) => {
      expect(await call(url)).toMatchObject({ code: 0, stdout: '{"result":[]}' });
    });
    expect(new Set(seen.map(String)).size).toBe(1);
    expect([seen.length, String(seen[0])]).toEqual([3, expect.stringContaining('respond-async, wait=10')]);
  });

  it('exits with 4 for a response that no gateway sends, and does not follow a redirect with the key', async () => {
    const seen: string[] = [];
    const odd: RequestListener = (request, response) => {
      seen.push(request.url ?? '');
      response
        .writeHead(seen.length === 1 ? 302 : 200, { Location: '/x', 'Content-Type': 'text/html' })
        .end();
    };
    await withServer(odd, async (url) => {
      expect(await call(url)).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('redirects to /x') as unknown,
      });
      expect(seen).toHaveLength(1);
      const { code, stderr } = await call(url, '--format', 'csv');
      expect([code, stderr]).toEqual([
        4,
        'error: The gateway returned text/html instead of csv. Check --url and --format.\n',
      ]);
    });
  });

  it('exits with 130 on SIGINT while it waits', async () => {
    let interrupt = (): void => undefined;
    const waiting: RequestListener = () => {
      interrupt();
    };
    await withServer(waiting, async (url) => {
      const calling = startProcess([QUERYGATE, 'call', 'logs.all', '--url', url]);
      interrupt = () => void calling.child.kill('SIGINT');
      expect([await calling.ended, calling.stdout(), calling.stderr()]).toEqual([130, '', '']);
    });
  });
});
