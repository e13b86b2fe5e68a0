import { SignJWT } from 'jose';

import { rowsOfTool, textOfTool, type ToolRows } from '../../support/mcp-client.js';
import { McpOnClickHouse, type ClientOptions } from '../../support/mcp-on-clickhouse.js';
import { openForAll } from '../../support/opened.js';

const SECRET = 'SECRET-of-boreal';
const TOKEN_SECRET = 'a secret for tokens in tests, long enough';
const ISSUER = 'https://app.example';
const STATS = { name: 'functions_invocation-stats', arguments: { interval: '1hr' } };
const LOGS = { name: 'logs_all', arguments: {} };
/** Rows of each tenant. */
const ROWS = { aurora: 3, boreal: 5 } as const;
type Tenant = keyof typeof ROWS;
const TENANTS = Object.keys(ROWS) as readonly Tenant[];

const mcp = openForAll(() =>
  McpOnClickHouse.open({
    keys: {
      operator: {},
      aurora: { fixed: { project: 'aurora' } },
      boreal: { fixed: { project: 'boreal' } },
    },
    environment: { JWT_SECRET: TOKEN_SECRET, JWT_ISSUER: ISSUER },
  }),
);
let tokens: Readonly<Record<Tenant, string>>;
beforeAll(async () => {
  tokens = { aurora: await tokenOf('aurora'), boreal: await tokenOf('boreal') };
  const timestamp = new Date(Date.now() - 60_000).toISOString().replace('Z', '');
  const rows = TENANTS.flatMap((project) =>
    Array.from({ length: ROWS[project] }, () => ({
      project,
      timestamp,
      event_message: project === 'boreal' ? SECRET : 'mine',
      execution_time_ms: 1,
    })),
  );
  await mcp.database.insert('edge_logs', rows);
  await mcp.database.insert('function_relay_logs', rows);
});

function tokenOf(project: Tenant): Promise<string> {
  return new SignJWT({ querygate: { endpoints: ['*'], fixed: { project } } })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(ISSUER)
    .setAudience('querygate')
    .setSubject(`user-of-${project}`)
    .setExpirationTime('5m')
    .sign(Buffer.from(TOKEN_SECRET));
}

const WAYS = {
  key: (tenant: Tenant): ClientOptions => ({ key: tenant }),
  token: (tenant: Tenant): ClientOptions => ({
    key: '',
    headers: { Authorization: `Bearer ${tokens[tenant]}` },
  }),
} as const;

/** Number of the records that the rows of {@link STATS} count. */
const countIn = ({ rows }: ToolRows): number => rows.reduce((sum, row) => sum + Number(row['count']), 0);

describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])('two tenants, each with a %s', (way) => {
  const connect = async (tenant: Tenant) => mcp.connect(WAYS[way](tenant));

  it('read their own rows only, also at the same time', async () => {
    await Promise.all(
      TENANTS.map(async (tenant) => {
        const client = await connect(tenant);
        for (let times = 0; times < 5; times += 1) {
          const [logs, stats] = await Promise.all([client.callTool(LOGS), client.callTool(STATS)]);
          expect(rowsOfTool(logs).rowsFound).toBe(ROWS[tenant]);
          expect(textOfTool(logs).includes(SECRET)).toBe(tenant === 'boreal');
          expect(countIn(rowsOfTool(stats))).toBe(ROWS[tenant]);
        }
      }),
    );
  });

  it('cannot name the parameter that is pinned', async () => {
    const client = await connect('aurora');
    const { tools } = await client.listTools();
    for (const { inputSchema } of tools) expect(inputSchema.properties).not.toHaveProperty('project');
    for (const project of ['boreal', '.*', '']) {
      const result = await client.callTool({ ...LOGS, arguments: { project } });
      expect(result.isError).toBe(true);
      expect(textOfTool(result)).not.toContain(SECRET);
    }
  });

  it('list no tool and no resource of an endpoint that they may not call', async () => {
    const client = await connect('aurora');
    const { tools } = await client.listTools();
    const { resources } = await client.listResources();
    expect(tools.map(({ name }) => name)).toEqual([STATS.name, LOGS.name, 'usage_api-counts']);
    expect(resources.map(({ name }) => name)).toEqual([
      'functions.invocation-stats',
      'logs.all',
      'usage.api-counts',
    ]);
    // The key does not pin what this endpoint reads.
    const uri = 'querygate://endpoints/get-grouped-stats-redirects';
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602, data: { uri } });
    await expect(client.callTool({ name: 'get-grouped-stats-redirects' })).rejects.toMatchObject({
      code: -32_602,
    });
  });

  it('need not send what is pinned, as the resource says without the pinned value', async () => {
    const client = await connect('aurora');
    const { contents } = await client.readResource({ uri: 'querygate://endpoints/logs.all' });
    const [content] = contents;
    const text = content && 'text' in content ? content.text : '';
    const { parameters } = JSON.parse(text) as { readonly parameters: readonly object[] };
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'project', required: false }));
    expect(text).not.toContain('aurora');
  });

  it('learn from an error no argument that is pinned', async () => {
    const client = await connect('aurora');
    const result = await client.callTool({ ...LOGS, arguments: { projct: 'aurora' } });
    expect(textOfTool(result)).toContain(
      '- projct is no argument of this tool, which has project_tier, iso_timestamp_start, iso_timestamp_end, max_rows, cursor\n',
    );
  });
});

it('a cached result of one tenant is never that of another', async () => {
  const [aurora, boreal] = [await mcp.connect({ key: 'aurora' }), await mcp.connect({ key: 'boreal' })];
  const cachedStats = { ...STATS, arguments: { interval: '15min' } };
  const first = rowsOfTool(await boreal.callTool(cachedStats));
  const ofAurora = rowsOfTool(await aurora.callTool(cachedStats));
  const again = rowsOfTool(await boreal.callTool(cachedStats));
  expect([countIn(first), countIn(ofAurora), countIn(again)]).toEqual([5, 3, 5]);
  expect(again.createdAt).toBe(first.createdAt);
});

it('a key and a token with the same pins share a cached result', async () => {
  const cachedStats = { ...STATS, arguments: { interval: '1day' } };
  const byKey = rowsOfTool(await (await mcp.connect(WAYS.key('aurora'))).callTool(cachedStats));
  const byToken = rowsOfTool(await (await mcp.connect(WAYS.token('aurora'))).callTool(cachedStats));
  expect([byKey.createdAt, countIn(byKey)]).toEqual([byToken.createdAt, 3]);
});

it('a key without pins reads the rows of the tenant that it names', async () => {
  const client = await mcp.connect({ key: 'operator' });
  for (const project of TENANTS) {
    const result = await client.callTool({ ...LOGS, arguments: { project, project_tier: 'PRO' } });
    expect(rowsOfTool(result).rowsFound).toBe(ROWS[project]);
  }
});
