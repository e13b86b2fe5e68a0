import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { loadEndpoints } from '../support/load-endpoints.js';
import { keyOf, type CacheKey } from '../../src/gateway/query/cache-key.js';
import { validateParameters } from '../../src/gateway/query/validate-parameters.js';
import { adminConnection } from '../support/clickhouse.js';
import { variablesOf } from '../support/demo-database.js';
import { writeEarlierKeys } from '../support/earlier-redis-keys.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { buildOtherVersion } from '../support/other-build.js';
import { pollUntil } from '../support/poll-until.js';
import { GATEWAY } from '../support/start-process.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { openTestRedis, sharedRedisUrl, type TestRedis } from '../support/test-redis.js';

const ID = '5b0e6d5e-7e0c-4f43-9d5c-3a1f4f3c2b10';
const WARMED_ID = 'd0a1c1de-65f2-4a0e-8a55-0c2f6d3b7c11';
const QUOTA = 10;
/** How many requests of the limited key version 0.1 counted before. */
const COUNTED_BEFORE = 2;

/** Every run of the query has another row, so that the row shows which results are shared. */
const endpointFile = (name: string, id: string, warming: number, definition: string): string => `
  import { column, defineEndpoint, integer, sql } from 'querygate';

  export default defineEndpoint({
    id: '${id}',
    name: '${name}',
    summary: 'A row that no other run of the query has.',
    parameters: { n: integer({ required: true, description: 'Any number.' }) },
    columns: {
      n: column('UInt64', 'The number.'),
      run: column('String', 'The run of the query.'),
      definition: column('String', 'The definition that the row is of.'),
    },
    maxRows: 10,
    caching: 900,
    warming: ${warming},
    sandboxing: 'disabled',
    example: { n: '1' },
    build: ({ n }) => sql\`
      SELECT toUInt64(\${n}) AS n, toString(generateUUIDv4()) AS run, '${definition}' AS definition\`,
  });`;

const keysFile = `keys:
  - { name: open, sha256: [${sha256('open')}] }
  - { name: limited, sha256: [${sha256('limited')}], limits: { requests: { quota: ${QUOTA}, window: 3600 } } }
`;

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

interface Row {
  readonly run: string;
  readonly definition: string;
  readonly cache: string | null;
}

type Pair = readonly [GatewayProcess, GatewayProcess];

let folder: TemporaryFolder;
let redis: TestRedis;
let project: string;
/** This version, and another one with an equal format. */
let equal: Pair;
let otherFormat: Pair;
/** This version, with another definition of the same endpoints. */
let otherDefinition: Pair;
const groups = (): readonly Pair[] => [equal, otherFormat, otherDefinition];
const all = (): readonly GatewayProcess[] => groups().flat();
const started: GatewayProcess[] = [];

async function writeProject(name: string, definition: string): Promise<string> {
  const endpoints = path.join(folder.path, name, 'endpoints');
  await mkdir(endpoints, { recursive: true });
  const write = (file: string, id: string, warming: number): Promise<void> =>
    writeFile(path.join(endpoints, `${file}.ts`), endpointFile(file, id, warming, definition));
  await write('sample.row', ID, 0);
  await write('sample.warmed', WARMED_ID, 1);
  return path.dirname(endpoints);
}

async function buildOf(name: string, changes: Parameters<typeof buildOtherVersion>[2]) {
  const target = path.join(folder.path, name);
  await mkdir(target);
  return buildOtherVersion(target, '9.9.9', changes);
}

async function start(build: readonly string[], projectFolder: string): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(build, {
    ...variablesOf(adminConnection('default')),
    PROJECT_DIR: projectFolder,
    API_KEYS_FILE: path.join(folder.path, 'keys.yaml'),
    REDIS_URL: sharedRedisUrl(),
    CACHE_KEY_PREFIX: redis.prefix,
  });
  started.push(gateway);
  return gateway;
}

/** The cache key of the sample row with a number. */
async function keyOfNumber(n: number): Promise<CacheKey> {
  const endpoint = (await loadEndpoints(path.join(project, 'endpoints'))).find(ID);
  if (!endpoint) throw new Error('there is no endpoint');
  const raw = new Map([['n', { text: String(n), times: 1 }]]);
  return keyOf({ endpoint, values: validateParameters(endpoint, raw), scope: '' });
}

const rowOf = async (gateway: GatewayProcess, n: number, name = 'sample.row'): Promise<Row> => {
  const { rows, cache } = await gateway.call(`${name}?n=${n}`, 'open');
  return { ...(rows[0] as Omit<Row, 'cache'>), cache };
};

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  redis = await openTestRedis();
  project = await writeProject('project', 'one');
  const changed = await writeProject('changed', 'two');
  await writeFile(path.join(folder.path, 'keys.yaml'), keysFile);
  const renumbered = await buildOf('renumbered', []);
  const reformatted = await buildOf('reformatted', [
    { file: 'gateway/coordination/redis-keys.js', from: 'SHARED_FORMAT = 4', to: 'SHARED_FORMAT = 5' },
    {
      file: 'gateway/coordination/redis-purges.js',
      from: 'JSON.stringify(scope)',
      to: "JSON.stringify({ ...scope, since: 'a later version' })",
    },
  ]);
  await writeEarlierKeys(redis, await keyOfNumber(0));
  await redis.client.set(`${redis.prefix}limit:key:limited:requests:3600`, COUNTED_BEFORE, 'EX', 3600);
  equal = [await start(GATEWAY, project), await start(renumbered, project)];
  otherFormat = [await start(reformatted, project), await start(reformatted, project)];
  otherDefinition = [await start(GATEWAY, changed), await start(GATEWAY, changed)];
}, 120_000);
afterAll(async () => {
  for (const gateway of started) await gateway.kill();
  redis.close();
  await folder.remove();
});

async function runsOf(gateways: readonly GatewayProcess[], n: number): Promise<readonly string[]> {
  return (await Promise.all(gateways.map((gateway) => rowOf(gateway, n)))).map(({ run }) => run);
}

const resultKeys = async (): Promise<readonly string[]> =>
  (await redis.names()).filter((name) => name.startsWith(`${redis.prefix}result:`));

/** Waits until each gateway returns rows of a run that is none of these. */
async function untilPurged(
  gateways: readonly GatewayProcess[],
  n: number,
  runs: readonly string[],
): Promise<void> {
  await pollUntil('every gateway runs the query again', async () => {
    const current = await runsOf(gateways, n);
    return current.some((run) => runs.includes(run)) ? undefined : true;
  });
}

describe('gateways of several versions that share a Redis', () => {
  it('ignore what version 0.1 and earlier builds cached', async () => {
    for (const [first, second] of groups()) {
      const { run, cache } = await rowOf(first, 0);
      expect([run.length, cache]).toEqual([36, 'MISS']);
      expect(await runsOf([first, second, first], 0)).toEqual([run, run, run]);
    }
    // The entry of the earlier build under the name of today is replaced.
    expect(await redis.client.getrange(redis.keys.result(await keyOfNumber(0)), 0, 3)).toBe('QGR4');
  });

  it.each(Array.from({ length: 10 }, (_, round) => 100 + round))(
    'coalesce equal requests, and return only rows of their own format and definition (%i)',
    async (n) => {
      const runs = await Promise.all(
        groups().map(async (gateways) => runsOf([...gateways, ...gateways, ...gateways], n)),
      );
      expect(runs.map((group) => new Set(group).size)).toEqual([1, 1, 1]);
      expect(new Set(runs.flat()).size).toBe(3);
    },
  );

  it('share results where format and definition are equal, and otherwise never replace them', async () => {
    const before = await resultKeys();
    const rows = await Promise.all(groups().map(([gateway]) => rowOf(gateway, 1)));
    expect(rows.map(({ cache, definition }) => [cache, definition])).toEqual([
      ['MISS', 'one'],
      ['MISS', 'one'],
      ['MISS', 'two'],
    ]);
    const others = await Promise.all(groups().map(([, gateway]) => rowOf(gateway, 1)));
    expect(others).toEqual(rows.map((row) => ({ ...row, cache: 'HIT' })));
    expect((await resultKeys()).length - before.length).toBe(3);
  });

  it('do not wait for a query of another format', async () => {
    const lock = redis.keys.lock(await keyOfNumber(8), 'miss');
    await redis.client.set(lock, 'f'.repeat(32), 'EX', 30);
    expect(await rowOf(otherFormat[0], 8)).toMatchObject({ cache: 'MISS' });
    expect(await redis.client.exists(lock)).toBe(1);
  });

  it('count the requests of a key together, also with those of version 0.1', async () => {
    const responses: number[] = [];
    for (const gateway of [...all(), ...all()])
      responses.push((await gateway.call('sample.row?n=2', 'limited')).status);
    const accepted = QUOTA - COUNTED_BEFORE;
    expect(responses).toEqual(responses.map((_, index) => (index < accepted ? 200 : 429)));
  });

  it.each([
    ['this version', () => equal[0]],
    ['a later version, whose messages have more fields,', () => otherFormat[0]],
  ])('purge a parameter set of %s on every gateway with an equal definition', async (_which, purgedBy) => {
    const [same, different] = [[...equal, ...otherFormat], otherDefinition];
    const runs = await runsOf(same, 3);
    const kept = await runsOf(different, 3);
    await purgedBy().purge({ endpoint: 'sample.row', parameters: { n: '3' } });
    await untilPurged(same, 3, runs);
    expect(await runsOf(different, 3)).toEqual(kept);
  });

  it.each([
    ['an endpoint', { endpoint: 'sample.row' }],
    ['everything', {}],
  ])('purge %s on every gateway', async (_what, scope) => {
    for (const [gateway] of groups()) {
      const runs = await runsOf(all(), 4);
      await gateway.purge(scope);
      await untilPurged(all(), 4, runs);
    }
    expect((await resultKeys()).filter((name) => !/:\d$/.test(name))).toEqual([]);
  });

  it('ignore messages that are not purges', async () => {
    const runs = await runsOf(all(), 5);
    const messages = ['{"bornUntil":9999999999999}', '{"kind":"later"}', 'not JSON', 'null'];
    for (const message of messages) await redis.client.publish(redis.keys.purges, message);
    // The order of messages in a channel shows that the gateways have read the others.
    const before = await runsOf(all(), 6);
    await equal[0].purge({ endpoint: 'sample.row', parameters: { n: '6' } });
    await untilPurged([...equal, ...otherFormat], 6, before);
    expect(await runsOf(all(), 5)).toEqual(runs);
  });

  it('have a leader for each format, which warms, and rows of their own definition meanwhile', async () => {
    await pollUntil('both formats are warmed', async () => {
      const rows = await Promise.all(all().map((gateway) => rowOf(gateway, 7, 'sample.warmed')));
      expect(rows.map(({ definition }) => definition)).toEqual(['one', 'one', 'one', 'one', 'two', 'two']);
      const formats = [[...equal, ...otherDefinition], otherFormat];
      const warmed = await Promise.all(
        formats.map(async (gateways) =>
          (await Promise.all(gateways.map((g) => g.hasWarmed()))).includes(true),
        ),
      );
      return warmed.every(Boolean) ? true : undefined;
    });
  });

  it('log no warning and no error', () => {
    for (const { process } of started) {
      // Whole lines, so that a failure shows what was wrong.
      const others = process
        .stdout()
        .split('\n')
        .filter((line) => line !== '' && !line.includes('"level":"info"'));
      expect([others.filter((line) => line.includes('"level"')), process.stderr()]).toEqual([[], '']);
    }
  });
});
