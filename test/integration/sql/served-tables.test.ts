import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { createTestDatabase } from '../../support/clickhouse.js';
import { pollUntil } from '../../support/poll-until.js';
import { sharedSqlGateway, withSqlGateway } from '../../support/sql-gateway.js';

const opened = sharedSqlGateway({ ADMIN_PORT: '0', QUERY_TIMEOUT_SECONDS: '2' });

const file = (name: string, id: number, lines: readonly string[], select: string): string =>
  [
    ...['/*', `name: ${name}`, `id: 61f0c404-5cb3-11e7-907b-a6006ad4d${String(id).padStart(3, '0')}`],
    ...['summary: For a test.', 'caching: disabled', 'tables: true', ...lines, '*/', select],
  ].join('\n');

const write = (name: string, ...rest: readonly [number, readonly string[], string]): Promise<void> =>
  writeFile(path.join(opened().folder, 'endpoints', `${name}.sql`), file(name, ...rest));

describe('the tables of a gateway', () => {
  test('are those of the last reload, which rejects two endpoints of one table name', async () => {
    const { gateway, rows } = opened();
    await write('new.one', 1, ['columns: { n: UInt8 }', 'example: {}'], 'SELECT 7 AS n');
    expect((await gateway.reload()).ok).toBe(true);
    expect(await rows('SELECT n FROM new_one')).toBe('7\n');
    await write('new-one', 2, ['columns: { n: UInt8 }', 'example: {}'], 'SELECT 8 AS n');
    const { ok, problems } = await gateway.reload();
    expect([ok, JSON.stringify(problems)]).toEqual([
      false,
      expect.stringContaining('endpoints new-one and new.one would both be the table new_one') as string,
    ]);
    expect(await rows('SELECT n FROM new_one')).toBe('7\n');
    await rm(path.join(opened().folder, 'endpoints', 'new-one.sql'));
  });

  test.each([
    ['edge.days', 'Read edge_days instead.'],
    ['no.table', 'Call no.table over HTTP instead.'],
  ])('name what to read instead of one that was removed: %s', async (successor, advice) => {
    const { gateway, send, rows } = opened();
    const gone = [
      `deprecated: { since: 2019-01-01, sunset: 2020-05-01, successor: ${successor} }`,
      'goneAfterSunset: true',
    ];
    const plain = file('no.table', 6, ['columns: { n: UInt8 }', 'example: {}'], 'SELECT 7 AS n');
    await writeFile(
      path.join(opened().folder, 'endpoints', 'no.table.sql'),
      plain.replace('tables: true\n', ''),
    );
    await write('gone.one', 5, [...gone, 'columns: { n: UInt8 }', 'example: {}'], 'SELECT 7 AS n');
    expect((await gateway.reload()).ok).toBe(true);
    expect(await rows("SELECT count() FROM system.tables WHERE name = 'gone_one'")).toBe('0\n');
    const refused = await send('SELECT n FROM gone_one');
    expect(refused.headers.get('x-clickhouse-exception-code')).toBe('60');
    expect(await refused.text()).toContain(`The table gone_one was removed on 2020-05-01. ${advice}`);
    await rm(path.join(opened().folder, 'endpoints', 'gone.one.sql'));
  });

  test('show no secret argument to the operator', async () => {
    const { gateway, send } = opened();
    await write(
      'secret.one',
      3,
      [
        'parameters: { token: { kind: string, secret: true, description: A secret. } }',
        'columns: { n: UInt64 }',
        'example: {}',
      ],
      'SELECT sum(sipHash64(number)) AS n FROM numbers(9000000000) WHERE 1 [[ AND toString(number) != @token ]]',
    );
    expect((await gateway.reload()).problems).toEqual([]);
    const response = send("SELECT n FROM secret_one(token = 'zqx7')");
    const text = await pollUntil(
      'it runs',
      async () => {
        const calls = await (await fetch(`${gateway.adminUrl ?? ''}/calls`)).text();
        return calls.includes('secret.one') ? calls : undefined;
      },
      30_000,
    );
    expect(text).not.toContain('zqx7');
    expect((await response).headers.get('x-clickhouse-exception-code')).toBe('159');
  });
});

test('a statement that reached its time limit is not run again at once', async () => {
  const { send, logger } = opened();
  const long = 'SELECT sum(sipHash64(number, number)) FROM numbers(9000000000)';
  const first = await send(long, { search: { query_id: 'one' } });
  const second = await send(long, { search: { query_id: 'two' } });
  for (const { headers, status } of [first, second])
    expect([headers.get('x-clickhouse-exception-code'), status]).toEqual(['159', 408]);
  const lines = logger.lines.filter(({ fields }) => fields['code'] === 'QUERY_TIMEOUT').slice(-2);
  expect(lines.map(({ fields }) => Number(fields['totalMs']) > 1500)).toEqual([true, false]);
});

test('a key with pins reads no figures of other callers, under whatever name', async () => {
  const database = await createTestDatabase();
  const { client, connection } = database;
  await client.command({
    query: 'CREATE VIEW of_requests AS SELECT endpoint, key_name FROM gateway_requests',
  });
  const lines = ['parameters: { key: { kind: string, description: A key. } }', 'columns: { n: UInt64 }'];
  const select = "SELECT count() AS n FROM of_requests WHERE key_name != ifNull(@key, '')";
  const project = {
    connect: () => Promise.resolve(connection),
    endpoints: { 'of.requests': [[...lines, 'tables: true', 'example: {}'], select] },
    keys: { all: {}, pinned: { fixed: { key: 'pinned' } } },
  } as const;
  await withSqlGateway({}, project, async ({ gateway, rows, send }) => {
    const url = `${gateway.url}/api/endpoints/query/of.requests`;
    const called = async (): Promise<number> =>
      (await fetch(url, { headers: { 'X-API-KEY': 'qg_pinned' } })).status;
    await pollUntil('it is analysed', async () => ((await called()) === 403 ? true : undefined), 30_000);
    expect(await rows('SELECT n FROM of_requests', { key: 'qg_all' })).toBe('0\n');
    const refused = await send('SELECT n FROM of_requests', { key: 'qg_pinned' });
    expect(refused.headers.get('x-clickhouse-exception-code')).toBe('497');
  });
  await database.close();
}, 120_000);
