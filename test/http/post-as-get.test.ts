import { withSettings, type Endpoint } from '../../src/endpoint/endpoint.js';
import type { CheckSql } from '../../src/gateway/query/sandboxed-select.js';
import { AccessGateway, type KeyRights, type RequestPath } from '../support/access-gateway.js';
import { outcomeOf, type NetworkResponse } from '../support/network-request.js';
import { referenceEndpoints } from '../support/reference-project.js';
import { KINDS, KINDS_CALL } from '../support/sample-kinds.js';
import { LINK_SECRET } from '../support/test-credentials.js';
import { openForEach } from '../support/opened.js';

const COUNTS = '/api/endpoints/query/usage.api-counts';
const LOGS = '/api/endpoints/query/logs.all';

const KEYS: KeyRights = {
  owner: {},
  inUrl: { mayUseQueryString: true },
  tenant: { fixed: { project: 'aurora' } },
  other: { endpoints: ['logs.*'] },
  limited: { limits: { requests: { quota: 2, window: 60 } } },
  listed: { fixed: { names: 'a,b' } },
};

/** Accepts every SQL as it is. */
const checkSql: CheckSql = (_endpoint, sql) => Promise.resolve({ text: sql, reads: ['result'] });

async function endpoints(): Promise<readonly Endpoint[]> {
  const shipped = (await referenceEndpoints()).all();
  return [KINDS, ...shipped].map((endpoint) =>
    endpoint.name === 'functions.invocation-stats'
      ? withSettings(endpoint, { sandboxing: 'enabled' })
      : endpoint,
  );
}

const gateway = openForEach(async () =>
  AccessGateway.open({
    keys: KEYS,
    environment: { LINK_SECRET },
    endpoints: await endpoints(),
    checkSql,
  }),
);
beforeEach(() => {
  gateway.runQuery.returnRows([{ n: 1 }, { n: 2 }]);
});

const post = (
  name: string,
  target: string,
  parameters: object,
  headers: object = {},
): Promise<NetworkResponse> =>
  gateway.send(name, target, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(parameters),
  });
const cacheOf = ({ headers }: NetworkResponse): unknown => headers['x-cache'];

/** The headers that do not depend on time or request. */
const stable = ({ headers }: NetworkResponse): object => {
  const {
    date,
    'x-request-id': id,
    'server-timing': timing,
    'x-cache': cache,
    'cache-status': status,
    ...rest
  } = headers;
  expect([date, id, timing, cache, status]).not.toContain(undefined);
  return rest;
};

describe.each<RequestPath>(['slow path', 'fast path'])(
  'a POST and a GET that says the same, on the %s',
  (via) => {
    const get = (target: string): Promise<NetworkResponse> => gateway.send('owner', target, { via });

    it.each([
      [`${COUNTS}?project=a%20b&interval=daily`, COUNTS, { project: 'a b', interval: 'daily' }],
      [
        `${COUNTS}?project=a&interval=daily&format=csv`,
        `${COUNTS}?format=csv`,
        { project: 'a', interval: 'daily' },
      ],
      [
        `${KINDS_CALL}?size=01&names=b,a&flag=1`,
        KINDS_CALL,
        { size: 1.0, names: ['a', 'b', 'a'], flag: true },
      ],
      [`${KINDS_CALL}?steps=b,a,b`, KINDS_CALL, { steps: ['b', 'a', 'b'] }],
      [`${KINDS_CALL}?since=2026-05-17T00:00:00Z`, KINDS_CALL, { since: '2026-05-17', word: null }],
    ])(
      'share one cache entry, with the same bytes, ETag and headers: %s',
      async (target, path, parameters) => {
        const first = await get(target);
        const posted = await post('owner', path, parameters);
        expect([cacheOf(first), cacheOf(posted)]).toEqual(['MISS', 'HIT']);
        expect([posted.status, posted.text]).toEqual([200, first.text]);
        expect(stable(posted)).toEqual(stable(first));
        expect(gateway.runQuery.requests).toHaveLength(1);
      },
    );

    it('share the entry that the POST created', async () => {
      const parameters = { project: 'a', interval: 'daily' };
      const posted = await post('owner', COUNTS, parameters);
      const got = await get(`${COUNTS}?project=a&interval=daily`);
      expect([cacheOf(posted), cacheOf(got)]).toEqual(['MISS', 'HIT']);
      expect(got.headers.etag).toBe(posted.headers.etag);
      expect(got.text).toBe(posted.text);
    });
  },
);

describe('the fast path', () => {
  it('never serves a POST, nor another call by the target of a POST', async () => {
    await post('owner', KINDS_CALL, { word: 'a' });
    await post('owner', KINDS_CALL, { word: 'b' });
    const before = gateway.servedOnFastPath;
    expect(cacheOf(await gateway.send('owner', KINDS_CALL))).toBe('MISS');
    expect(gateway.servedOnFastPath).toBe(before);
    // The target is known now, and a POST for it is another call.
    expect(cacheOf(await gateway.send('owner', KINDS_CALL))).toBe('HIT');
    expect(gateway.servedOnFastPath).toBe(before + 1);
    expect(cacheOf(await post('owner', KINDS_CALL, { word: 'c' }))).toBe('MISS');
    expect(gateway.servedOnFastPath).toBe(before + 1);
  });
});

describe('the key of a POST', () => {
  it('pins parameters as for a GET', async () => {
    const daily = { interval: 'daily' };
    expect(cacheOf(await gateway.send('tenant', `${COUNTS}?interval=daily`))).toBe('MISS');
    expect(cacheOf(await post('tenant', COUNTS, daily))).toBe('HIT');
    expect(cacheOf(await post('tenant', COUNTS, { ...daily, project: 'aurora' }))).toBe('HIT');
    expect(cacheOf(await post('tenant', COUNTS, { ...daily, project: null }))).toBe('HIT');
    expect(outcomeOf(await post('tenant', COUNTS, { ...daily, project: 'boreal' }))).toBe('403 FORBIDDEN');
    expect(outcomeOf(await post('tenant', COUNTS, { ...daily, project: ['aurora'] }))).toBe(
      '400 INVALID_PARAMETERS',
    );
    expect(gateway.runQuery.requests).toHaveLength(1);
  });

  it('pins a list, whose items have no comma', async () => {
    expect((await post('listed', KINDS_CALL, { names: ['a', 'b'] })).status).toBe(200);
    expect(outcomeOf(await post('listed', KINDS_CALL, { names: ['a,b'] }))).toBe('403 FORBIDDEN');
    expect(outcomeOf(await post('listed', KINDS_CALL, { names: ['a'] }))).toBe('403 FORBIDDEN');
    expect(gateway.runQuery.onlyRequest.query.parameters['names']).toEqual(['a', 'b']);
  });

  it('may be in the query string where the key allows it', async () => {
    const withKey = (name: string): string => `${KINDS_CALL}?api_key=qg_key-of-${name}-only-for-tests`;
    expect((await post('', withKey('inUrl'), {})).status).toBe(200);
    expect(outcomeOf(await post('', withKey('owner'), {}))).toBe('401 API_KEY_INVALID');
  });

  it('decides with its rights and limits, before the body is read', async () => {
    const malformed = (name: string): Promise<NetworkResponse> =>
      gateway.send(name, COUNTS, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{ malformed',
      });
    expect(outcomeOf(await malformed('other'))).toBe('403 FORBIDDEN');
    expect(outcomeOf(await malformed('limited'))).toBe('400 MALFORMED_BODY');
    const counted = await post('limited', COUNTS, { project: 'a', interval: 'daily' });
    expect([counted.status, counted.headers['ratelimit']]).toEqual([200, expect.stringContaining('r=0')]);
    expect(outcomeOf(await malformed('limited'))).toBe('429 LIMIT_EXCEEDED');
  });

  it('cannot be that of a signed link: 405 with Allow: GET, HEAD', async () => {
    const { links, keys } = gateway.access;
    const [key, endpoint] = [keys.findByName('owner'), gateway.endpoints.find('logs.all')];
    if (!links || !key || !endpoint) throw new Error('signed links are not configured');
    const nowMs = gateway.clock.milliseconds;
    const parameters = new Map([['project', 'aurora']]);
    const link = links.sign({ endpoint, parameters, key, nowMs, expiresAtMs: nowMs + 60_000 });
    for (const name of ['', 'owner']) {
      const response = await post(name, link, {});
      expect([outcomeOf(response), response.headers.allow]).toEqual(['405 METHOD_NOT_ALLOWED', 'GET, HEAD']);
    }
    expect((await gateway.send('', link)).status).toBe(200);
  });
});

describe('sql in the body of a POST', () => {
  const STATS = '/api/endpoints/query/functions.invocation-stats';
  const select = "SELECT '100%' AS a, 1 + 1 AS b FROM result";

  it('is the sql of a GET', async () => {
    const target = `${STATS}?${new URLSearchParams({ project: 'a', sql: select }).toString()}`;
    expect(cacheOf(await gateway.send('owner', target))).toBe('MISS');
    expect(cacheOf(await post('owner', STATS, { project: 'a', sql: select }))).toBe('HIT');
    expect(gateway.runQuery.onlyRequest.query.text).toContain(select);
  });

  it.each([
    ['x'.repeat(8193), '400 INVALID_PARAMETERS'],
    ['x'.repeat(65_537), '413 BODY_TOO_LARGE'],
    ['', '400 INVALID_PARAMETERS'],
    [{ select }, '400 INVALID_PARAMETERS'],
  ])('is checked: %.20j…', async (sql, outcome) => {
    expect(outcomeOf(await post('owner', STATS, { project: 'a', sql }))).toBe(outcome);
    expect(gateway.runQuery.requests).toEqual([]);
  });

  it('belongs in the body', async () => {
    const response = await post('owner', `${STATS}?sql=SELECT`, { project: 'a' });
    expect(outcomeOf(response)).toBe('400 INVALID_PARAMETERS');
  });
});

describe('the headers of a POST', () => {
  it('choose the format, the download and the waiting time as for a GET', async () => {
    const parameters = { project: 'a' };
    const csv = await post('owner', `${LOGS}?download=1`, parameters, {
      Accept: 'text/csv',
      Prefer: 'wait=5',
    });
    expect(csv.status).toBe(200);
    expect(csv.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': expect.stringContaining('logs.all-') as unknown,
      'preference-applied': 'wait=5',
    });
    expect(outcomeOf(await post('owner', LOGS, parameters, { Accept: 'image/png' }))).toBe(
      '406 NOT_ACCEPTABLE',
    );
  });
});
