import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';

import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import { createTestDatabase, type TestDatabase } from '../support/clickhouse.js';
import { pollUntil } from '../support/poll-until.js';
import { REFERENCE } from '../support/reference-project.js';
import { runCli } from '../support/run-cli.js';
import { startRedis } from '../support/start-redis.mjs';
import { GATEWAY, startProcess, type RunningProcess } from '../support/start-process.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { withCollector } from '../support/trace-collector.js';
import { urlOf } from '../support/with-gateway.js';

const SECRET = 'tok-4711-that-nobody-may-see';
const KEY = 'qg_only-for-tests';
const PINNED_KEY = 'qg_only-for-tests-of-pins';

const FILE = (id: number, name: string, value: string): string => `
import { column, defineEndpoint, sql, text } from 'querygate';
export default defineEndpoint({
  id: '7f3b8c52-94d1-4a86-9d0e-0f4f2f1c7b1${id}',
  name: '${name}',
  summary: 'For a test.',
  parameters: { token: text({ description: 'The token.', secret: true }) },
  columns: { size: column('Int64', 'A number.') },
  maxRows: 10, caching: 300, warming: 20, sandboxing: 'disabled', example: {},
  build: ({ token }) => sql\`SELECT toInt64(${value}) AS size\`,
});`;

let database: TestDatabase;
let folder: TemporaryFolder;
let redis: Awaited<ReturnType<typeof startRedis>>;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTemporaryFolder();
  redis = await startRedis(path.join(folder.path, 'redis'));
  const project = path.join(folder.path, 'project');
  await mkdir(path.join(project, 'endpoints'), { recursive: true });
  await cp(REFERENCE.schemaFolder, path.join(project, 'clickhouse-schema'), { recursive: true });
  await writeFile(path.join(project, 'endpoints/token.size.ts'), FILE(1, 'token.size', 'length(${token})'));
  await writeFile(path.join(project, 'endpoints/token.cast.ts'), FILE(2, 'token.cast', '${token}'));
  const keys = [
    {
      name: 'reader',
      sha256: [hashApiKey(KEY)],
      endpoints: ['token.size', 'token.cast', 'gateway.requests'],
    },
    { name: 'pinned', sha256: [hashApiKey(PINNED_KEY)], endpoints: ['token.*'], fixed: { token: SECRET } },
  ];
  await writeFile(path.join(folder.path, 'keys.json'), JSON.stringify({ keys }));
});

afterAll(async () => {
  await redis.stop();
  await database.close();
  await folder.remove();
});

/** A gateway with everything that records requests: its log at the level debug, the request log, Redis and traces. */
function startGateway(more: Readonly<Record<string, string>>): RunningProcess {
  const { url, username, password } = database.connection;
  return startProcess(GATEWAY, {
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'debug',
    PROJECT_DIR: path.join(folder.path, 'project'),
    API_KEYS_FILE: path.join(folder.path, 'keys.json'),
    CLICKHOUSE_URL: url,
    CLICKHOUSE_USER: username,
    CLICKHOUSE_PASSWORD: password,
    CLICKHOUSE_DATABASE: database.name,
    CLICKHOUSE_LOG_USER: username,
    CLICKHOUSE_LOG_PASSWORD: password,
    REDIS_URL: redis.url,
    ...more,
  });
}

async function withGateway(
  more: Readonly<Record<string, string>>,
  use: (gateway: RunningProcess, send: (path: string, key?: string) => Promise<Response>) => Promise<void>,
): Promise<void> {
  const gateway = startGateway(more);
  try {
    const own = await urlOf(gateway);
    await use(gateway, (target, key = KEY) => fetch(own + target, { headers: { 'X-API-KEY': key } }));
  } finally {
    gateway.child.kill('SIGTERM');
    await gateway.ended;
  }
}

const callOf = (name: string): string => `/api/endpoints/query/${name}?token=${SECRET}`;

/** Everything in Redis, as one text. */
async function contentOfRedis(): Promise<string> {
  const client = new Redis(redis.url);
  try {
    const keys = await client.keys('*');
    const values = await Promise.all(keys.map((key) => client.dumpBuffer(key)));
    return [...keys, ...values.map((value) => value.toString('latin1'))].join('\n');
  } finally {
    client.disconnect();
  }
}

it('the value of a secret parameter is in no log, trace, request log, admin page or entry of Redis', async () => {
  await withCollector(async (collector, { texts: traces }) => {
    const seen: string[] = [];
    let output = (): string => '';
    await withGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: collector }, async (gateway, send) => {
      const [, admin = ''] = await gateway.untilWritten(/"message":"admin API ready".*"url":"(http:[^"]+)"/);
      for (const name of ['token.size', 'token.size', 'token.cast']) {
        const response = await send(callOf(name));
        expect(response.status).toBe(name === 'token.cast' ? 400 : 200);
        seen.push(await response.text());
        seen.push(await (await send(`/api/endpoints/query/${name}`, PINNED_KEY)).text());
      }
      await pollUntil(
        'the requests are logged',
        async () => {
          const text = await (await send('/api/endpoints/query/gateway.requests')).text();
          if (!text.includes('token.cast') || !text.includes('pinned')) return undefined;
          return seen.push(text);
        },
        60_000,
      );
      await send('/health/live');
      for (const page of ['/cache', '/warming', '/errors', '/keys', '/metrics']) {
        seen.push(await (await fetch(admin + page)).text());
      }
      seen.push(await contentOfRedis());
      output = () => gateway.stdout() + gateway.stderr();
    });
    expect(output()).toContain('CLICKHOUSE_FAILED');
    expect(output()).toContain('"level":"debug"');
    expect(traces.join('')).toContain('token.cast');
    expect([...seen, output(), ...traces].join('\n')).not.toContain(SECRET.slice(4));
  });
}, 120_000);

it.each([
  ['as a table', [], /token=secret \(HMAC [0-9a-f]{16}\)/],
  ['as JSON', ['--json'], /"hmac": "[0-9a-f]{64}"/],
])('keys list shows its pinned value as an HMAC, %s', async (_how, options, shown) => {
  const file = path.join(folder.path, 'keys.json');
  await mkdir(path.join(folder.path, 'broken/endpoints'), { recursive: true });
  await writeFile(path.join(folder.path, 'broken/endpoints/broken.ts'), 'export default {');
  for (const [project, note] of [
    ['project', ''],
    // Without endpoints, nothing says which parameters are secret.
    ['.', ''],
    ['broken', 'Every pinned value is shown as an HMAC: '],
  ] as const) {
    const { code, stdout, stderr } = await runCli(['keys', 'list', '--file', file, ...options], {
      PROJECT_DIR: path.join(folder.path, project),
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining(note)]);
    expect(stdout).toMatch(shown);
    expect(stdout).not.toContain(SECRET.slice(4));
  }
});

it('gateways with the same LINK_SECRET share its cached result over Redis, others do not', async () => {
  const LINK_SECRET = 'a secret of thirty-two bytes, or more';
  const cached: (string | null)[] = [];
  for (const secret of [LINK_SECRET, LINK_SECRET, `${LINK_SECRET}!`]) {
    await withGateway({ LINK_SECRET: secret }, async (_gateway, send) => {
      const response = await send(`/api/endpoints/query/token.size?token=tok-shared`);
      cached.push(response.headers.get('x-cache'));
    });
  }
  expect(cached).toEqual(['MISS', 'HIT', 'MISS']);
}, 120_000);
