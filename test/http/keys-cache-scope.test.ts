import { AccessGateway, type KeyRights, type RequestPath } from '../support/access-gateway.js';
import { resultOf } from '../support/fake-run-query.js';
import { codeOf, rowsIn, type NetworkRequest } from '../support/network-request.js';

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

let gateway: AccessGateway;
beforeEach(async () => {
  gateway = await AccessGateway.open({ keys: KEYS });
  // Every answer says which project it was made for, and how.
  gateway.runQuery.respondWith(({ query: { text, parameters } }) =>
    Promise.resolve(
      resultOf([
        {
          of: Object.values(parameters).join(),
          held: text.includes('WHERE project = {project:String}'),
          n: queries(),
        },
      ]),
    ),
  );
});
afterEach(() => gateway.close());

const queries = (): number => gateway.runQuery.requests.length;

/** Whose rows an answer holds, and whether it came out of the cache. */
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
    ['the same words', `${STATS}?interval=1hr`],
    ['the value sent', `${STATS}?interval=1hr&project=aurora`],
    ['the regular expression', COUNTS],
    ['the regular expression sent', `${COUNTS}&project=aurora`],
  ])('gives nothing of one tenant to another that asks in %s', async (_what, target) => {
    for (let times = 0; times < 3; times += 1) await gateway.send('aurora', target, { via });
    expect(queries()).toBe(1);
    const other = await query('boreal', target, via);
    expect(other).toMatch(target.includes('project=') ? /^403 FORBIDDEN/ : /^MISS .*boreal/);
    expect(other).not.toContain('aurora');
    const own = await query('aurora', target, via);
    expect(own).toMatch(/^HIT .*aurora/);
  });

  it('gives nothing of an unrestricted key to a tenant, nor the other way round', async () => {
    const target = `${COUNTS}&project=aurora`;
    // To one it is a pattern, to the other a project: the rows differ.
    for (let times = 0; times < 2; times += 1) await gateway.send('operator', target, { via });
    expect(await query('aurora', target, via)).toMatch(/^MISS /);
    expect(queries()).toBe(2);
    expect(await query('aurora', target, via)).toMatch(/^HIT /);
    expect(await query('operator', target, via)).toMatch(/^HIT /);
    const held = (name: string) =>
      gateway.send(name, target, { via }).then((response) => rowsIn(response)[0]?.['held']);
    expect([await held('operator'), await held('aurora')]).toEqual([false, true]);
  });

  it('is shared by keys with the same scope, and keeps their rights apart', async () => {
    const target = `${STATS}?interval=1hr`;
    expect(await query('aurora', target, via)).toMatch(/^MISS /);
    expect(await query('auroraToo', target, via)).toMatch(/^HIT .*aurora/);
    expect(await query('auroraLogs', target, via)).toBe('403 FORBIDDEN');
    expect(queries()).toBe(1);
  });

  it('keeps a narrower scope apart from a wider one', async () => {
    expect(await query('aurora', COUNTS, via)).toMatch(/^MISS /);
    expect(await query('auroraDaily', COUNTS, via)).toMatch(/^MISS /);
    expect(await query('auroraDaily', '/api/endpoints/query/usage.api-counts', via)).toMatch(/^HIT /);
    expect(await query('aurora', '/api/endpoints/query/usage.api-counts', via)).toBe(
      '400 INVALID_PARAMETERS',
    );
  });

  it('confirms no entity tag of another scope', async () => {
    const target = `${STATS}?interval=1hr`;
    const mine = await gateway.send('aurora', target, { via });
    const headers = { 'If-None-Match': String(mine.headers.etag) };
    expect((await gateway.send('aurora', target, { via, headers })).status).toBe(304);
    expect((await gateway.send('boreal', target, { via, headers })).status).toBe(200);
  });

  it('shares no query that runs between scopes', async () => {
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    gateway.runQuery.respondWith(async ({ query: { parameters } }) => {
      if (queries() === 2) release?.();
      await held;
      return resultOf([{ of: Object.values(parameters).join() }]);
    });
    const target = `${STATS}?interval=1hr`;
    const [one, other] = await Promise.all([query('aurora', target, via), query('boreal', target, via)]);
    expect(one).toContain('aurora');
    expect(other).toContain('boreal');
  });
});

it('the short way is taken by each of them, by what it has asked itself', async () => {
  const target = `${STATS}?interval=1hr`;
  for (const name of ['aurora', 'boreal', 'aurora', 'boreal']) await gateway.send(name, target);
  expect([queries(), gateway.servedOnFastPath]).toEqual([2, 2]);
});

it('tells caches on the way that answers differ by key', async () => {
  const { headers } = await gateway.send('aurora', `${STATS}?interval=1hr`);
  expect(headers.vary).toContain('X-API-KEY');
  expect(headers.vary).toContain('Authorization');
  expect(headers['cache-control']).toMatch(/^private/);
});
