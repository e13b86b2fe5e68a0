import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { writeFile } from 'node:fs/promises';

import { EndpointAnalyses } from '../../src/gateway/analysis/endpoint-analyses.js';
import { EndpointRegistry } from '../../src/endpoint/registry.js';
import { readSqlEndpoint } from '../support/read-sql-endpoint.js';
import type { Gateway } from '../../src/gateway/server/compose.js';
import { ServedAnalyses } from '../../src/gateway/server/served-analyses.js';
import { adminConnection, createTestDatabase } from '../support/clickhouse.js';
import { isRequestQuery, respondWith, withFakeClickHouse } from '../support/fake-clickhouse.js';
import { pollUntil } from '../support/poll-until.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { call, fileOf, KEY, ReloadedProject } from '../support/reloaded-project.js';
import { openForEach } from '../support/opened.js';

const REJECTED = 'ClickHouse rejects the query of an endpoint: its calls are 500 ENDPOINT_INVALID';

const DIFFERS = 'the query of an endpoint returns other columns than declared';

const reload = async (gateway: Gateway, search = ''): Promise<readonly [number, unknown]> => {
  const response = await fetch(`${gateway.adminUrl ?? ''}/endpoints/reload${search}`, { method: 'POST' });
  return [response.status, await response.json()];
};
const metric = async ({ adminUrl = '' }: Gateway, name: string): Promise<string | undefined> =>
  new RegExp(`^querygate_${name} (\\S+)`, 'm').exec(await (await fetch(`${adminUrl}/metrics`)).text())?.[1];
const problemOf = async ({ url }: Gateway, target: string): Promise<unknown> => {
  const response = await fetch(`${url}/api/endpoints/query/${target}`, { headers: { 'X-API-KEY': KEY } });
  return [response.status, ((await response.json()) as { readonly code?: string }).code];
};

/** A definition that another one replaces, with a SELECT that is ready to be broken. */
const select = (sql: string): string => fileOf('one', 1, 'second').replace(/SELECT .*/, sql);

describe('a reload', () => {
  it.each([
    ['an unknown column', 'SELECT @city AS city, versoin AS version', 9, 23],
    ['an unknown table', "SELECT @city AS city, '' AS version FROM nowhere", 9, 42],
    [
      'an error in one optional part',
      "SELECT @city AS city, '2' AS version FROM numbers(1) WHERE true [[ AND nosuch = @only ]]",
      9,
      72,
    ],
    ['a column that the query does not return', "SELECT @city AS city, '2' AS edition", 6, 45],
  ])(
    'is 422 with the place where ClickHouse finds %s, and the old version serves',
    async (_what, sql, line, column) => {
      await ReloadedProject.during(async (project) => {
        const gateway = await project.open();
        const only = ', only: { kind: string, description: One. }';
        const text = select(sql).replace(
          'A city. }',
          sql.includes('@only') ? `A city. }${only}` : 'A city. }',
        );
        await writeFile(project.fileOf('one'), text);
        await project.write('two', 2, 'second');
        expect(await reload(gateway)).toMatchObject([
          422,
          {
            code: 'ENDPOINTS_INVALID',
            problems: expect.arrayContaining([
              expect.objectContaining({ file: 'endpoints/one.sql', line, column }),
            ]) as unknown,
          },
        ]);
        expect(gateway.endpoints.all()).toHaveLength(2);
        expect(await metric(gateway, 'last_reload_successful')).toBe('0');
        expect([await call(gateway.url, 'one'), await call(gateway.url, 'two')]).toMatchObject([
          { version: 'first' },
          { version: 'first' },
        ]);
      });
    },
  );

  it('serves columns that can be converted to the declared types, with a warning, and rejects others', async () => {
    await ReloadedProject.during(async (project) => {
      const gateway = await project.open();
      await writeFile(
        project.fileOf('one'),
        select("SELECT @city AS city, toLowCardinality('2') AS version"),
      );
      expect(await reload(gateway)).toMatchObject([200, { lastReload: { ok: true, changed: ['one'] } }]);
      const lines = project.logger.lines.filter(({ message }) => message === DIFFERS);
      expect(JSON.stringify(lines)).toContain('but the query returns LowCardinality(String)');
      expect(await call(gateway.url, 'one')).toMatchObject({ status: 200, version: '2' });
      await writeFile(project.fileOf('one'), select('SELECT @city AS city, 2 AS version'));
      expect(await reload(gateway)).toMatchObject([422, { code: 'ENDPOINTS_INVALID' }]);
    });
  });

  it('accepts a value that only the made-up values of an analysis cannot have', async () => {
    await ReloadedProject.during(async (project) => {
      const gateway = await project.open();
      const text = select(
        "SELECT @city AS city, 'second' AS version FROM numbers(1) WHERE true [[ AND toDate(@day) > '2020-01-01' ]]",
      ).replace('A city. }', 'A city. }, day: { kind: string, description: A day. }');
      await writeFile(project.fileOf('one'), text);
      expect(await reload(gateway)).toMatchObject([200, { lastReload: { ok: true } }]);
      expect(await call(gateway.url, 'one')).toMatchObject({ status: 200, version: 'second' });
    });
  });

  it('is refused while ClickHouse is away, unless it is forced', async () => {
    await ReloadedProject.during(async (project) => {
      const link = await Link.open();
      const gateway = await project.open({ CLICKHOUSE_URL: link.url });
      expect((await call(gateway.url, 'two')).status).toBe(200);
      await link.cut();
      // Nothing has changed: there is nothing to ask.
      expect(await reload(gateway)).toMatchObject([200, { lastReload: { ok: true } }]);
      await project.write('one', 1, 'second');
      expect(await reload(gateway)).toMatchObject([
        503,
        { code: 'CLICKHOUSE_UNREACHABLE', detail: expect.stringContaining('?force=1') as string },
      ]);
      expect(await metric(gateway, 'last_reload_successful')).toBe('0');
      expect(
        (
          await project.logger.line(
            'endpoints were not reloaded; what was served before stays in their place',
          )
        ).fields,
      ).toMatchObject({ problems: [expect.stringContaining('ECONNREFUSED') as string] });
      expect(await reload(gateway, '?force=yes')).toMatchObject([400, { code: 'BAD_REQUEST' }]);
      expect(await reload(gateway, '?force=1')).toMatchObject([200, { lastReload: { changed: ['one'] } }]);
    });
  });
});

describe('an endpoint that ClickHouse rejects at a start', () => {
  const database = openForEach(createTestDatabase);

  it('is a warning with its place, is 500 ENDPOINT_INVALID, and serves once a reload finds its table', async () => {
    await ReloadedProject.during(async (project) => {
      await writeFile(project.fileOf('one'), select('SELECT @city AS city, name AS version FROM later'));
      const { database: name } = adminConnection(database.name);
      const gateway = await project.open({ CLICKHOUSE_DATABASE: name });
      const { level, fields } = await project.logger.line(REJECTED);
      expect([level, fields]).toMatchObject([
        'warn',
        { endpoint: 'one', problems: [expect.stringContaining('endpoints/one.sql:9:44: ') as string] },
      ]);
      expect(await problemOf(gateway, 'one?city=Rome')).toEqual([500, 'ENDPOINT_INVALID']);
      expect(await problemOf(gateway, 'one?city=Rome&format=csv')).toEqual([500, 'ENDPOINT_INVALID']);
      expect((await project.logger.line('request')).fields).toMatchObject({
        code: 'ENDPOINT_INVALID',
        diagnosis: expect.stringMatching(/^endpoints\/one\.sql:9:44: Unknown table[^\n]*$/) as string,
      });
      expect((await call(gateway.url, 'two')).status).toBe(200);
      expect(await metric(gateway, 'endpoints_rejected')).toBe('1');
      const described = await (await fetch(`${gateway.adminUrl ?? ''}/endpoints`)).json();
      expect(described).toMatchObject({
        endpoints: [{ name: 'one', rejections: [{ line: 9, column: 44 }] }, { name: 'two' }],
      });
      await database.client.command({ query: 'CREATE TABLE later (name String) ENGINE = Memory' });
      expect(await reload(gateway)).toMatchObject([200, { lastReload: { ok: true, changed: [] } }]);
      expect((await call(gateway.url, 'one')).status).toBe(200);
      expect(await metric(gateway, 'endpoints_rejected')).toBe('0');
    });
  });

  it('does not keep others from being reloaded while ClickHouse is away', async () => {
    await ReloadedProject.during(async (project) => {
      await writeFile(project.fileOf('one'), select('SELECT @city AS city, name AS version FROM later'));
      const link = await Link.open();
      const gateway = await project.open({ CLICKHOUSE_URL: link.url });
      await project.logger.line(REJECTED);
      await link.cut();
      expect(await reload(gateway)).toMatchObject([200, { lastReload: { ok: true } }]);
      expect(await metric(gateway, 'endpoints_rejected')).toBe('1');
    });
  });

  it('serves without a reload once its table exists', async () => {
    const endpoint = readSqlEndpoint(select('SELECT toNullable(@city) AS city, name AS version FROM later'));
    const { client } = database;
    const analyses = new EndpointAnalyses();
    const logger = new RecordingLogger();
    const served = new ServedAnalyses({
      ...{ analyses, logger, clients: [client], clock: () => new Date() },
      ...{ endpoints: new EndpointRegistry([endpoint]), fileOf: () => undefined },
    });
    await served.round();
    expect(analyses.isRejected(endpoint)).toBe(true);
    await client.command({ query: 'CREATE TABLE later (name String) ENGINE = Memory' });
    await served.round();
    expect(analyses.isAccepted(endpoint)).toBe(true);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      REJECTED,
      'ClickHouse accepts the query of an endpoint again',
    ]);
    served.close();
  });
});

describe('what is no description of columns', () => {
  it.each([
    ['nothing', ''],
    ['another object', '{"result":[]}'],
    ['a page of a proxy', '<html>Welcome</html>'],
  ])('is no rejection: %s in place of the columns', async (_what, body) => {
    const asked: string[] = [];
    const respond: RequestListener = (request, response) => {
      if (!isRequestQuery(request)) asked.push(request.url ?? '');
      respondWith(isRequestQuery(request) ? '{"result":[]}' : body, 0)(request, response);
    };
    await withFakeClickHouse(respond, async ({ url }) => {
      await ReloadedProject.during(async (project) => {
        const gateway = await project.open({ CLICKHOUSE_URL: url });
        await pollUntil('an endpoint was described', () =>
          asked.some((target) => target.includes('param_city')) ? true : undefined,
        );
        expect((await call(gateway.url, 'one')).status).toBe(200);
        expect(await metric(gateway, 'endpoints_rejected')).toBe('0');
      });
    });
  });
});

describe('an optional part that ClickHouse rejects at a start', () => {
  it('makes only the calls 500 that apply it', async () => {
    await ReloadedProject.during(async (project) => {
      const text = select(
        "SELECT @city AS city, 'served' AS version FROM numbers(1) WHERE true [[ AND nosuch = @only ]]",
      );
      const only = 'A city. }, only: { kind: string, description: One. }';
      await writeFile(project.fileOf('one'), text.replace('A city. }', only));
      const gateway = await project.open();
      await project.logger.line(REJECTED);
      expect(await call(gateway.url, 'one')).toMatchObject({ status: 200, version: 'served' });
      expect(await problemOf(gateway, 'one?city=Rome&only=x')).toEqual([500, 'ENDPOINT_INVALID']);
      expect(await metric(gateway, 'endpoints_rejected')).toBe('1');
    });
  });
});

/** A TCP connection to ClickHouse that a test can cut. */
class Link {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      const { hostname, port } = new URL(adminConnection('default').url);
      const onward = connect(Number(port), hostname);
      for (const end of [socket, onward]) {
        this.sockets.add(end);
        end.on('error', () => undefined);
      }
      socket.pipe(onward).pipe(socket);
    });
  }

  static async open(): Promise<Link> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Link(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async cut(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }
}
