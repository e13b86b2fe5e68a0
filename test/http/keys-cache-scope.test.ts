import { AccessGateway, type KeyRights, type RequestPath } from '../support/access-gateway.js';
import { resultOf } from '../support/fake-run-query.js';
import { codeOf, rowsIn, type NetworkRequest } from '../support/network-request.js';
import { openForEach } from '../support/opened.js';

const STATS = '/api/endpoints/query/functions.invocation-stats';
const COUNTS = '/api/endpoints/query/usage.api-counts?interval=daily';

const KEYS: KeyRights = {
  operator: {},
  aurora: { fixed: { project: 'aurora' } },
  boreal: { fixed: { project: 'boreal' } },
  auroraToo: { fixed: { project: 'aurora' }, endpoints: ['functions.*', 'usage.*'] },
  auroraLogs: { fixed: { project: 'aurora' }, endpoints: ['logs.*'] },
  auroraDaily: { fixed: { project: 'aurora', interval: 'daily' } },
};

const gateway = openForEach(() => AccessGateway.open({ keys: KEYS }));
beforeEach(() => {
  // Every row says for which project it was made, and with which kind of filter.
  gateway.runQuery.respondWith(({ query: { text, parameters } }) =>
    Promise.resolve(
      resultOf([
        {
          of: Object.values(parameters).join(),
          pinned: text.includes('WHERE project = {project:String}'),
          n: queries(),
        },
      ]),
    ),
  );
});

const queries = (): number => gateway.runQuery.requests.length;

/** The project of a result's rows, and the cache status. */
const query = async (
  name: string,
  target: string,
  via: RequestPath,
  more: NetworkRequest = {},
): Promise<string> => {
  const response = await gateway.send(name, target, { via, ...more });
  if (response.status !== 200) return `${response.status} ${codeOf(response) ?? ''}`;
  const [row] = rowsIn(response);
  return `${String(response.headers['x-cache'])} ${String(row?.['of'])}`;
};

describe.each<RequestPath>(['slow path', 'fast path'])('on the %s the cache', (via) => {
  it.each([
    ['the same URL', `${STATS}?interval=1hr`],
    ['the pinned value sent', `${STATS}?interval=1hr&project=aurora`],
    ['the regular expression', COUNTS],
    ['the pinned expression sent', `${COUNTS}&project=aurora`],
  ])('returns no tenant’s result to another tenant: %s', async (_what, target) => {
    for (let times = 0; times < 3; times += 1) await gateway.send('aurora', target, { via });
    expect(queries()).toBe(1);
    const other = await query('boreal', target, via);
    expect(other).toMatch(target.includes('project=') ? /^403 FORBIDDEN/ : /^MISS .*boreal/);
    expect(other).not.toContain('aurora');
    const own = await query('aurora', target, via);
    expect(own).toMatch(/^HIT .*aurora/);
  });

  it('returns no result of an unrestricted key to a tenant, nor the reverse', async () => {
    const target = `${COUNTS}&project=aurora`;
    // For one key the value is a pattern, for the other a project: the rows differ.
    for (let times = 0; times < 2; times += 1) await gateway.send('operator', target, { via });
    expect(await query('aurora', target, via)).toMatch(/^MISS /);
    expect(queries()).toBe(2);
    expect(await query('aurora', target, via)).toMatch(/^HIT /);
    expect(await query('operator', target, via)).toMatch(/^HIT /);
    const isPinned = (name: string) =>
      gateway.send(name, target, { via }).then((response) => rowsIn(response)[0]?.['pinned']);
    expect([await isPinned('operator'), await isPinned('aurora')]).toEqual([false, true]);
  });

  it('is shared by keys with the same scope, which retain their own rights', async () => {
    const target = `${STATS}?interval=1hr`;
    expect(await query('aurora', target, via)).toMatch(/^MISS /);
    expect(await query('auroraToo', target, via)).toMatch(/^HIT .*aurora/);
    expect(await query('auroraLogs', target, via)).toBe('403 FORBIDDEN');
    expect(queries()).toBe(1);
  });

  it('separates a narrower scope from a wider one', async () => {
    expect(await query('aurora', COUNTS, via)).toMatch(/^MISS /);
    expect(await query('auroraDaily', COUNTS, via)).toMatch(/^MISS /);
    expect(await query('auroraDaily', '/api/endpoints/query/usage.api-counts', via)).toMatch(/^HIT /);
    expect(await query('aurora', '/api/endpoints/query/usage.api-counts', via)).toBe(
      '400 INVALID_PARAMETERS',
    );
  });

  it('returns no 304 for an entity tag of another scope', async () => {
    const target = `${STATS}?interval=1hr`;
    const mine = await gateway.send('aurora', target, { via });
    const headers = { 'If-None-Match': String(mine.headers.etag) };
    expect((await gateway.send('aurora', target, { via, headers })).status).toBe(304);
    expect((await gateway.send('boreal', target, { via, headers })).status).toBe(200);
  });

  it('does not coalesce queries of different scopes', async () => {
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    gateway.runQuery.respondWith(async ({ query: { parameters } }) => {
      if (queries() === 2) release?.();
      await released;
      return resultOf([{ of: Object.values(parameters).join() }]);
    });
    const target = `${STATS}?interval=1hr`;
    const [one, other] = await Promise.all([query('aurora', target, via), query('boreal', target, via)]);
    expect(one).toContain('aurora');
    expect(other).toContain('boreal');
  });
});

it('the fast path serves each key the results of that key’s own requests', async () => {
  const target = `${STATS}?interval=1hr`;
  for (const name of ['aurora', 'boreal', 'aurora', 'boreal']) await gateway.send(name, target);
  expect([queries(), gateway.servedOnFastPath]).toEqual([2, 2]);
});

it('responses vary by key for caches between gateway and client', async () => {
  const { headers } = await gateway.send('aurora', `${STATS}?interval=1hr`);
  expect(headers.vary).toContain('X-API-KEY');
  expect(headers.vary).toContain('Authorization');
  expect(headers['cache-control']).toMatch(/^private/);
});
