import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { readConfig } from '../../src/gateway/config/config.js';
import { openGateway } from '../../src/gateway/server/compose.js';
import { variablesOf } from '../support/demo-database.js';
import { pollUntil } from '../support/poll-until.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

/** Users of the server: profile, and grants. */
const USERS: Readonly<Record<string, readonly [profile: string, grants: string, quota?: string]>> = {
  plain: ['<readonly>2</readonly>', 'GRANT SELECT ON default.visits'],
  cannot_set: ['<readonly>1</readonly>', 'GRANT SELECT ON default.visits'],
  constrained: [
    '<readonly>2</readonly><constraints><max_execution_time><max>5</max></max_execution_time></constraints>',
    'GRANT SELECT ON default.visits',
  ],
  without_grants: ['<readonly>2</readonly>', 'GRANT SHOW DATABASES ON *.*'],
  used_up: ['<readonly>2</readonly>', 'GRANT SELECT ON default.visits', '<queries>1</queries>'],
};

const tags = (name: string, text: string): string => `<${name}>${text}</${name}>`;

const USERS_FILE = tags(
  'clickhouse',
  tags(
    'profiles',
    Object.entries(USERS)
      .map(([name, [profile]]) => tags(`p_${name}`, profile))
      .join(''),
  ) +
    tags(
      'quotas',
      Object.entries(USERS)
        .map(([name, [, , quota = '']]) =>
          tags(`q_${name}`, tags('interval', `<duration>3600</duration>${quota}`)),
        )
        .join(''),
    ) +
    tags(
      'users',
      Object.entries(USERS)
        .map(([name, [, grant]]) =>
          tags(
            name,
            `<password>secret</password><networks><ip>127.0.0.1</ip></networks><profile>p_${name}</profile><quota>q_${name}</quota>` +
              tags('grants', tags('query', grant)),
          ),
        )
        .join(''),
    ),
);

let folder: TemporaryFolder;
let server: EmbeddedServer;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  const start = (): Promise<EmbeddedServer> =>
    EmbeddedServer.start({
      dataDir: path.join(folder.path, 'data'),
      ...{ database: 'default', grants: [], onCrash: () => undefined },
    });
  server = await start();
  const admin = connectClickHouse(server.adminConnection, {
    maxOpenConnections: 1,
    requestTimeoutMs: 20_000,
  });
  await admin.command({ query: 'CREATE TABLE visits (n UInt64) ENGINE = MergeTree ORDER BY n' });
  await admin.close();
  await server.stop();
  await writeFile(path.join(folder.path, 'data', 'clickhouse', 'users.d', 'tested.xml'), USERS_FILE);
  server = await start();
  await mkdir(path.join(folder.path, 'endpoints'));
  for (const [at, table] of ['visits', 'default.visits'].entries())
    await writeFile(
      path.join(folder.path, 'endpoints', `counts${at}.sql`),
      `/*\nname: counts${at}\nid: 5b2f4a10-0000-4000-8000-00000000000${at}\nsummary: Tested.\ncolumns:\n  c: UInt64\ncaching: disabled\n*/\nSELECT count() AS c FROM ${table}\n`,
    );
});
afterAll(async () => {
  await server.stop();
  await folder.remove();
});

interface Readiness {
  readonly status: number;
  readonly detail: string;
  readonly logged: string;
}

/** What `/health/ready` of a gateway with these variables says, at first, and what its log has. */
async function readinessWith(
  variables: Readonly<Record<string, string>>,
  wanted?: string,
): Promise<Readiness> {
  const logger = new RecordingLogger();
  const connection = {
    ...server.adminConnection,
    username: 'plain',
    password: 'secret',
    database: 'default',
  };
  const environment = {
    PORT: '0',
    PROJECT_DIR: folder.path,
    ...variablesOf(connection),
    API_KEY: 'qg_readiness_of_tests',
  };
  const gateway = await openGateway(readConfig({ ...environment, ...variables }), {
    logger,
    clock: () => new Date(),
  });
  try {
    const response = await fetch(`${gateway.url}/health/ready`);
    const { detail = '' } = (await response.json()) as { readonly detail?: string };
    const logged = (): string => JSON.stringify(logger.lines);
    await pollUntil(
      'a line at warn',
      () => (wanted === undefined || logged().includes(wanted) ? true : undefined),
      20_000,
    );
    return { status: response.status, detail, logged: logged() };
  } finally {
    await gateway.close(0);
  }
}

describe('GET /health/ready', () => {
  it('returns 200 where the user may query', async () => {
    expect(await readinessWith({})).toMatchObject({ status: 200 });
  });

  it.each([
    ['a wrong password', { CLICKHOUSE_PASSWORD: 'wrong' }, 'AUTHENTICATION_FAILED (code 516)'],
    ['a user that does not exist', { CLICKHOUSE_USER: 'nobody' }, 'AUTHENTICATION_FAILED (code 516)'],
    ['a database that does not exist', { CLICKHOUSE_DATABASE: 'absent' }, 'UNKNOWN_DATABASE (code 81)'],
    ['readonly = 1', { CLICKHOUSE_USER: 'cannot_set' }, 'READONLY (code 164)'],
    [
      'a constraint below a limit',
      { CLICKHOUSE_USER: 'constrained' },
      'SETTING_CONSTRAINT_VIOLATION (code 452)',
    ],
    ['a quota that is used up', { CLICKHOUSE_USER: 'used_up' }, 'QUOTA_EXCEEDED (code 201)'],
    [
      'tables that the user may not read',
      { CLICKHOUSE_USER: 'without_grants' },
      'may read the tables of no endpoint',
    ],
  ])('returns 503 with the cause for %s', async (_, variables, cause) => {
    const line = cause.startsWith('may read') ? 'Not enough privileges' : cause;
    const readiness = await readinessWith(variables, line);
    expect(readiness).toMatchObject({ status: 503, detail: expect.stringContaining(cause) as string });
    expect(readiness.detail).not.toMatch(/secret|wrong|default\.visits/);
  });

  it('returns 503 for a server that is no ClickHouse', async () => {
    const other = createServer((_, response) => response.end('<html>Ok.</html>'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      const readiness = await readinessWith({ CLICKHOUSE_URL: `http://127.0.0.1:${port}` });
      expect(readiness).toMatchObject({
        status: 503,
        detail: expect.stringContaining('does not respond as ClickHouse does') as string,
      });
    } finally {
      other.close();
      other.closeAllConnections();
    }
  });

  it('returns 503 for TLS at a port without it', async () => {
    const url = server.adminConnection.url.replace('http:', 'https:');
    expect(await readinessWith({ CLICKHOUSE_URL: url })).toMatchObject({ status: 503 });
  });

  it('logs at the start that the user of the request log cannot write', async () => {
    const { status, logged } = await readinessWith(
      { CLICKHOUSE_LOG_USER: 'plain', CLICKHOUSE_LOG_PASSWORD: 'wrong' },
      'does not accept the request log',
    );
    expect(status).toBe(200);
    expect(logged).toContain('ClickHouse does not accept the request log');
  });
});
