import { AccessGateway, type KeyRights } from '../../support/access-gateway.js';
import { resultOf } from '../../support/fake-run-query.js';
import { rowsIn } from '../../support/network-request.js';
import { newPrefix, openTestRedis, sharedRedisUrl, type TestRedis } from '../../support/test-redis.js';

const TARGET = '/api/endpoints/query/functions.invocation-stats?interval=1hr';
const TENANTS = ['aurora', 'boreal'];
const KEYS: KeyRights = Object.fromEntries(TENANTS.map((project) => [project, { fixed: { project } }]));

let server: TestRedis;
let prefix: string;
let gateways: AccessGateway[];

beforeEach(async () => {
  server = await openTestRedis();
  prefix = newPrefix();
  gateways = [];
});
afterEach(async () => {
  for (const gateway of gateways) await gateway.close();
  server.close();
});

/** A gateway whose ClickHouse returns one row: the project that the query is about. */
async function openGateway(): Promise<AccessGateway> {
  const environment = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: prefix };
  const gateway = await AccessGateway.open({ keys: KEYS, environment, clock: () => new Date() });
  gateways.push(gateway);
  gateway.runQuery.respondWith(({ query: { parameters } }) =>
    Promise.resolve(resultOf([{ of: TENANTS.filter((name) => Object.values(parameters).includes(name)) }])),
  );
  return gateway;
}

async function request(gateway: AccessGateway, tenant: string): Promise<string> {
  const response = await gateway.send(tenant, TARGET);
  return `${String(response.headers['x-cache'])} ${String(rowsIn(response)[0]?.['of'])}`;
}

describe('two values swapped in Redis', () => {
  it('are misses: each tenant gets its own rows, which are cached again', async () => {
    const first = await openGateway();
    for (const tenant of TENANTS) expect(await request(first, tenant)).toBe(`MISS ${tenant}`);
    const [one = '', other = ''] = await server.client.keys(`${prefix}result:*`);
    await server.client.rename(one, `${prefix}aside`);
    await server.client.rename(other, one);
    await server.client.rename(`${prefix}aside`, other);
    const second = await openGateway();
    for (const tenant of TENANTS) expect(await request(second, tenant)).toBe(`MISS ${tenant}`);
    const third = await openGateway();
    for (const tenant of TENANTS) expect(await request(third, tenant)).toBe(`HIT ${tenant}`);
  });
});
