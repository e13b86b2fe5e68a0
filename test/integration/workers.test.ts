import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';

import { answerWith, withLyingClickHouse } from '../support/lying-clickhouse.js';
import { metricSamples } from '../support/metric-samples.js';
import { pollUntil } from '../support/poll-until.js';
import { GATEWAY, startProcess, type RunningProcess } from '../support/start-process.js';
import { SteadyCallers } from '../../src/bench/steady-callers.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

const READY = /"message":"ready".*"url":"(http:\/\/127\.0\.0\.1:\d+)"/;
const ADMIN = /"message":"operator’s view".*"url":"(http:\/\/127\.0\.0\.1:\d+)"/;
const CALL = '/api/endpoints/query/usage.api-counts?project=a&interval=daily';
const UNCACHED = '/api/endpoints/query/logs.all?project=a';
const KEY = { 'X-API-KEY': 'k' };
const CALLERS = 8;

interface Workers extends RunningProcess {
  readonly url: string;
  readonly pids: () => Promise<readonly number[]>;
}

/** Runs the built gateway with two workers for a test's body, and kills it afterwards where it still runs. */
async function withWorkers(
  environment: Readonly<Record<string, string>>,
  use: (gateway: Workers) => Promise<void>,
): Promise<void> {
  const gateway = startProcess(GATEWAY, { PORT: '0', WORKERS: '2', LOG_LEVEL: 'info', ...environment });
  try {
    const url = (await gateway.untilWritten(READY))[1] ?? '';
    await use({ ...gateway, url, pids: () => childrenOf(gateway.child.pid ?? 0) });
  } finally {
    gateway.child.kill('SIGKILL');
    await gateway.ended;
  }
}

/** Workers of a gateway, by Linux's list of processes. */
async function childrenOf(parent: number): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      // The program's name, in parentheses, can hold anything.
      const [state, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' ? 0 : Number(parentPid);
    }),
  );
  return pids.filter((_pid, index) => parents[index] === parent);
}

const withClickHouse = (use: (environment: Readonly<Record<string, string>>) => Promise<void>) =>
  withLyingClickHouse(answerWith('{"result":[]}', 0), ({ url }) =>
    use({ CLICKHOUSE_URL: url, API_KEY: 'k' }),
  );

const ask = async (url: string): Promise<number> => {
  const response = await fetch(url, { headers: KEY });
  await response.arrayBuffer();
  return response.status;
};

/** A worker that has nothing to do is gone at the first signal. */
const killIfThere = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

const untilReplaced = ({ pids }: Workers, before: readonly number[], wanted = before.length) =>
  pollUntil(
    'other workers have taken their places',
    async () => {
      const now = await pids();
      return (
        (now.length === before.length && now.filter((pid) => !before.includes(pid)).length >= wanted) ||
        undefined
      );
    },
    25_000,
  );

describe('a gateway with two workers', () => {
  it('says that it is ready once, with one key and one ClickHouse, and stops with exit code 0', async () => {
    await withTemporaryFolder(async (dataDir) => {
      await withWorkers({ DATA_DIR: dataDir }, async (gateway) => {
        await gateway.untilWritten(/This key is good until the gateway stops/);
        const lines = [...gateway.stdout().matchAll(/curl -s -H '(X-API-KEY): (\S+)' '(http\S+)'/g)];
        expect(lines).toHaveLength(5);
        for (const [, header = '', key = '', url = ''] of lines) {
          const response = await fetch(url, { headers: { [header]: key } });
          const { result } = (await response.json()) as { result: unknown[] };
          expect([response.status, result.length > 0]).toEqual([200, true]);
        }
        expect(gateway.stdout().match(/"message":"ready"/g)).toHaveLength(1);
        const commands = await Promise.all(
          (await gateway.pids()).map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')),
        );
        expect(commands).toHaveLength(3);
        expect(commands.join()).not.toContain(lines[0]?.[2]);
        gateway.child.kill('SIGTERM');
        expect(await gateway.ended).toBe(0);
        expect(gateway.stderr()).toBe('');
      });
    });
  });

  it('loses no request while its workers are replaced one after another', async () => {
    await withClickHouse(async (environment) => {
      await withWorkers(environment, async (gateway) => {
        const before = await gateway.pids();
        const hits = new SteadyCallers(gateway.url + CALL, KEY, CALLERS, ']}');
        const misses = new SteadyCallers(gateway.url + UNCACHED, KEY, CALLERS, ']}');
        await pollUntil('they are answered', () => misses.counts.answered > 100 || undefined);
        gateway.child.kill('SIGHUP');
        await untilReplaced(gateway, before);
        await gateway.untilWritten(/all workers have been restarted/);
        const { answered } = misses.counts;
        await pollUntil('the new ones answer', () => misses.counts.answered > answered + 100 || undefined);
        for (const callers of [hits, misses]) {
          const { sent, answered: complete, lost } = await callers.stop();
          expect(lost).toEqual([]);
          expect(complete).toBe(sent);
        }
        gateway.child.kill('SIGTERM');
        expect(await gateway.ended).toBe(0);
      });
    });
  });

  it('loses at most what runs on a worker that is killed, and replaces it', async () => {
    await withClickHouse(async (environment) => {
      await withWorkers(environment, async (gateway) => {
        const before = await gateway.pids();
        const callers = new SteadyCallers(gateway.url + UNCACHED, KEY, CALLERS, ']}');
        await pollUntil('they are answered', () => callers.counts.answered > 100 || undefined);
        process.kill(before[0] ?? 0, 'SIGKILL');
        await untilReplaced(gateway, before, 1);
        const { answered } = callers.counts;
        await pollUntil('all are answered', () => callers.counts.answered > answered + 100 || undefined);
        const { sent, answered: complete, lost } = await callers.stop();
        expect(complete + lost.length).toBe(sent);
        // Each caller has one request at a time.
        expect(lost.length).toBeLessThanOrEqual(CALLERS);
        expect(lost.filter((why) => !/ECONNRESET|socket hang up|cut/.test(why))).toEqual([]);
      });
    });
  });

  it('ends with its primary, even if that one is killed', async () => {
    await withClickHouse(async (environment) => {
      await withWorkers(environment, async (gateway) => {
        const pids = await gateway.pids();
        expect(pids).toHaveLength(2);
        gateway.child.kill('SIGKILL');
        await pollUntil('the workers have ended', async () => {
          const stats = await Promise.all(
            pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
          );
          return stats.every((stat) => stat === '' || stat.includes(') Z ')) || undefined;
        });
      });
    });
  });

  it('stops once where a Ctrl-C reaches all of its processes, and at once the second time', async () => {
    let asked = 0;
    const neverAnswer = (): void => {
      asked += 1;
    };
    await withLyingClickHouse(neverAnswer, async ({ url: CLICKHOUSE_URL }) => {
      await withWorkers({ CLICKHOUSE_URL, API_KEY: 'k' }, async (gateway) => {
        const all = [gateway.child.pid ?? 0, ...(await gateway.pids())];
        const running = fetch(gateway.url + UNCACHED, { headers: KEY });
        const cut = expect(running).rejects.toThrow('fetch failed');
        await pollUntil('the query has been sent', () => asked > 0 || undefined);
        for (const pid of all) process.kill(pid, 'SIGINT');
        await gateway.untilWritten(/"message":"stopping"/);
        expect(gateway.stdout().match(/"message":"stopping"/g)).toHaveLength(1);
        for (const pid of all) killIfThere(pid, 'SIGINT');
        expect(await gateway.ended).toBe(1);
        await cut;
      });
    });
  });

  it('shows the operator one gateway, whose counters never fall', async () => {
    await withClickHouse(async (environment) => {
      await withWorkers({ ...environment, ADMIN_PORT: '0' }, async (gateway) => {
        const admin = (await gateway.untilWritten(ADMIN))[1] ?? '';
        const sumOf = async (name: string): Promise<number> => {
          const samples = metricSamples(await (await fetch(`${admin}/metrics`)).text());
          return samples.filter((sample) => sample.name === name).reduce((sum, { value }) => sum + value, 0);
        };
        for (let asked = 0; asked < 20; asked += 1) expect(await ask(gateway.url + CALL)).toBe(200);
        expect(await sumOf('querygate_requests_total')).toBe(20);
        expect(await sumOf('querygate_workers')).toBe(2);
        await pollUntil(
          'one warms',
          async () => (await sumOf('querygate_warming_leader')) === 1 || undefined,
        );
        const before = await gateway.pids();
        gateway.child.kill('SIGHUP');
        await untilReplaced(gateway, before);
        expect(await sumOf('querygate_requests_total')).toBe(20);
        const restarted = await gateway.pids();
        process.kill(restarted[0] ?? 0, 'SIGKILL');
        await untilReplaced(gateway, restarted, 1);
        expect(await sumOf('querygate_requests_total')).toBe(20);
        const { endpoints } = (await (await fetch(`${admin}/cache`)).json()) as {
          endpoints: { endpoint: string; asked: number; hits: number }[];
        };
        expect(endpoints.find(({ endpoint }) => endpoint === 'usage.api-counts')).toMatchObject({
          asked: 20,
          hits: 19,
        });
        const { keys } = (await (await fetch(`${admin}/keys`)).json()) as {
          keys: { lastUse: string | null }[];
        };
        expect(keys[0]?.lastUse).not.toBeNull();
      });
    });
  });
});

describe('a start of workers that can’t be', () => {
  it('ends with 1 and says why once', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const environment = {
      CLICKHOUSE_URL: 'http://127.0.0.1:1',
      API_KEY: 'k',
      WORKERS: '2',
      PORT: String(port),
    };
    const gateway = startProcess(GATEWAY, environment);
    expect(await gateway.ended).toBe(1);
    expect(gateway.stderr()).toMatch(/^querygate can’t start: .*EADDRINUSE[^\n]*\n$/);
    taken.close();
  });
});
