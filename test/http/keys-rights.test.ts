import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import { keyNamed, withAccess, type AccessGateway, type KeyRights } from '../support/access-gateway.js';
import { defineEndpoint, sql } from '../../src/endpoint/index.js';
import { REQUESTS_ENDPOINT } from '../../src/gateway/observability/requests-endpoint.js';
import { SAMPLE } from '../support/sample-endpoint.js';
import { outcomeOf, type NetworkResponse } from '../support/network-request.js';
import { SHIPPED_ENDPOINTS } from '../support/shipped-endpoints.js';

const QUERY = '/api/endpoints/query';
const STATS = `${QUERY}/functions.invocation-stats`;
const STATS_ID = '8f0c7f5e-3a8d-4c55-9a0e-6f1f0b6a2d11';
const COUNTS = `${QUERY}/usage.api-counts?interval=daily`;

const KEYS: KeyRights = {
  all: {},
  logs: { endpoints: ['logs.*'] },
  byId: { endpoints: [STATS_ID] },
  tenant: { fixed: { project: 'aurora' } },
  twice: { fixed: { project: 'aurora', interval: 'daily' } },
  both: { endpoints: ['usage.*', 'get-*'], fixed: { project: 'aurora' } },
};

let gateway: AccessGateway;
const withKeys = (use: () => Promise<void>) => () =>
  withAccess({ keys: KEYS }, async (opened) => {
    gateway = opened;
    await use();
  });

const namesIn = ({ text }: NetworkResponse): readonly string[] =>
  (JSON.parse(text) as { result: { name: string }[] }).result.map(({ name }) => name);

describe('the endpoints of a key', () => {
  it.each([
    ['all', `${STATS}?project=a`, '200'],
    ['logs', `${QUERY}/logs.all?project=a`, '200'],
    ['logs', `${STATS}?project=a`, '403 FORBIDDEN'],
    ['logs', `${QUERY}/${STATS_ID}?project=a`, '403 FORBIDDEN'],
    ['logs', `${QUERY}/${STATS_ID.toUpperCase()}?project=a`, '403 FORBIDDEN'],
    ['logs', `${QUERY}/functions%2Einvocation-stats?project=a`, '403 FORBIDDEN'],
    ['logs', `${QUERY}/logs.all%2F..%2Ffunctions.invocation-stats`, '404 ENDPOINT_NOT_FOUND'],
    ['logs', `${QUERY}/LOGS.ALL?project=a`, '404 ENDPOINT_NOT_FOUND'],
    ['logs', `${QUERY}/nothing.here`, '404 ENDPOINT_NOT_FOUND'],
    ['byId', `${STATS}?project=a`, '200'],
    ['byId', `${QUERY}/${STATS_ID}?project=a`, '200'],
    ['byId', `${QUERY}/logs.all?project=a`, '403 FORBIDDEN'],
    ['logs', '/api/endpoints/logs.all', '200'],
    ['logs', '/api/endpoints/functions.invocation-stats', '403 FORBIDDEN'],
    ['logs', `/api/endpoints/${STATS_ID}`, '403 FORBIDDEN'],
  ])('%s: %s returns %s', async (name, target, expected) => {
    await withKeys(async () => {
      expect(outcomeOf(await gateway.send(name, target))).toBe(expected);
      expect((await gateway.send(name, target, { method: 'HEAD' })).status).toBe(
        Number(expected.slice(0, 3)),
      );
    })();
  });

  it.each([
    ['logs', ['logs.all']],
    ['byId', ['functions.invocation-stats']],
    ['tenant', ['functions.invocation-stats', 'logs.all', 'usage.api-counts']],
    ['both', ['usage.api-counts']],
    ['twice', ['functions.invocation-stats', 'usage.api-counts']],
  ])('are the only ones listed for %s', async (name, expected) => {
    await withKeys(async () => {
      const names = namesIn(await gateway.send(name, '/api/endpoints'));
      expect(names.filter((each) => each in SHIPPED_ENDPOINTS)).toEqual(expected);
    })();
  });

  it(
    'default to all, except those that reveal other callers',
    withKeys(async () => {
      const all = gateway.endpoints
        .without((name) => name.startsWith('gateway.'))
        .all()
        .map(({ name }) => name);
      expect(namesIn(await gateway.send('all', '/api/endpoints'))).toEqual(all);
    }),
  );

  describe.each([
    ['gateway.requests', 'endpoint'],
    ['audit.slow', 'city'],
  ])('%s, which reads the request log', (name, pinned) => {
    const AUDIT = defineEndpoint({
      ...SAMPLE,
      id: '7c1f2a44-3d5e-4b6f-8a90-b1c2d3e4f506',
      name: 'audit.slow',
      build: ({ city }) =>
        sql`SELECT any(${city}) AS city, count() AS orders FROM merge(\`logs\`, '^gateway_requests')`,
    });
    const rights = { endpoints: ['*', 'gateway.*'] };
    const use = (key: string, read: (gateway: AccessGateway) => Promise<unknown>): Promise<void> =>
      withAccess(
        {
          keys: { operator: rights, tenant: { ...rights, fixed: { [pinned]: 'a' } } },
          endpoints: [AUDIT, REQUESTS_ENDPOINT],
        },
        async (opened) => {
          expect(await read(opened)).toEqual(key === 'operator' ? ['200', true] : ['403 FORBIDDEN', false]);
        },
      );

    it.each(['operator', 'tenant'])('is for keys without pinned parameters: %s', (key) =>
      use(key, async (opened) => {
        const called = await opened.send(key, `${QUERY}/${name}`);
        const listed = namesIn(await opened.send(key, '/api/endpoints'));
        return [outcomeOf(called), listed.includes(name)];
      }),
    );
  });

  it(
    'are checked before the parameters, and no query runs',
    withKeys(async () => {
      const response = await gateway.send('logs', `${STATS}?project=a&project=b`);
      expect(outcomeOf(response)).toBe('403 FORBIDDEN');
      expect(gateway.runQuery.requests).toEqual([]);
    }),
  );
});

describe('a pinned parameter', () => {
  it.each([
    ['omitted', ''],
    ['sent as it is', '&project=aurora'],
    ['sent percent-encoded', '&project=%61urora'],
    ['sent under an encoded name', '&pro%6Aect=aurora'],
  ])('%s has the pinned value in the query', (_what, sent) =>
    withKeys(async () => {
      expect(outcomeOf(await gateway.send('tenant', `${STATS}?interval=1hr${sent}`))).toBe('200');
      expect(Object.values(gateway.runQuery.onlyRequest.query.parameters)).toContain('aurora');
    })(),
  );

  it.each([
    ['another value', '&project=boreal'],
    ['an empty value', '&project='],
    ['no value', '&project'],
    ['another letter case', '&project=Aurora'],
    ['a space after it', '&project=aurora%20'],
    ['a null byte after it', '&project=aurora%00'],
    ['a value that cannot be decoded', '&project=%FF'],
    ['the value twice', '&project=aurora&project=aurora'],
    ['another value after it', '&project=aurora&project=boreal'],
    ['another value before it', '&project=boreal&project=aurora'],
    ['another value under an encoded name', '&project=aurora&%70roject=boreal'],
    ['an encoded name only', '&%70%72oject=boreal'],
    ['a pattern', '&project=.'],
    ['a pattern that contains it', '&project=aurora%7Cboreal'],
  ])('is rejected with %s, and no query runs', (_what, sent) =>
    withKeys(async () => {
      for (const target of [`${STATS}?interval=1hr${sent}`, COUNTS + sent, `${QUERY}/logs.all?x=1${sent}`]) {
        for (const method of ['GET', 'HEAD']) {
          const response = await gateway.send('tenant', target, { method });
          expect([target, response.status]).toEqual([target, 403]);
        }
        const { text } = await gateway.send('tenant', target);
        // The response contains the parameter's name, but not the pinned value.
        expect(text).toContain('project');
        expect(text).not.toContain('aurora');
      }
      expect(gateway.runQuery.requests).toEqual([]);
    })(),
  );

  it.each([
    'Project=boreal',
    'project[]=boreal',
    'project%00=boreal',
    'project%20=boreal',
    '%FFproject=boreal',
    '+project=boreal',
  ])('does not include %s, which is ignored like any undeclared name', (sent) =>
    withKeys(async () => {
      expect(outcomeOf(await gateway.send('tenant', `${STATS}?${sent}`))).toBe('200');
      const bound = Object.values(gateway.runQuery.onlyRequest.query.parameters);
      expect(bound).toContain('aurora');
      expect(bound).not.toContain('boreal');
    })(),
  );

  it.each(['get-grouped-stats-events-logs', 'get-grouped-stats-redirects'])(
    'rejects calls of %s, which does not declare it',
    (endpoint) =>
      withKeys(async () => {
        for (const target of [`${QUERY}/${endpoint}`, `${QUERY}/${endpoint}?project=aurora`]) {
          expect(outcomeOf(await gateway.send('tenant', target))).toBe('403 FORBIDDEN');
        }
        expect((await gateway.send('tenant', `${QUERY}/${endpoint}`, { method: 'HEAD' })).status).toBe(403);
        expect(gateway.runQuery.requests).toEqual([]);
      })(),
  );

  it(
    'is set in both parameters if an endpoint has two kinds',
    withKeys(async () => {
      expect(outcomeOf(await gateway.send('twice', `${QUERY}/usage.api-counts`))).toBe('200');
      expect(outcomeOf(await gateway.send('twice', `${QUERY}/usage.api-counts?interval=hourly`))).toBe(
        '403 FORBIDDEN',
      );
      expect(outcomeOf(await gateway.send('twice', `${QUERY}/logs.all`))).toBe('403 FORBIDDEN');
    }),
  );

  it(
    'on usage.api-counts is compared as a project, and never as a pattern',
    withKeys(async () => {
      await gateway.send('tenant', COUNTS);
      const { text } = gateway.runQuery.onlyRequest.query;
      expect(text).toContain('WHERE project = {project:String}');
      expect(text).not.toContain('match(');
    }),
  );
});

it('no response or log line contains a key', async () => {
  await withAccess({ keys: KEYS }, async (opened) => {
    for (const key of [
      keyNamed('all').toUpperCase(),
      `${keyNamed('all')}x`,
      keyNamed('all').slice(0, -1),
      hashApiKey(keyNamed('all')),
      'all',
    ]) {
      const response = await opened.send('', `${STATS}?project=a`, { headers: { 'X-API-KEY': key } });
      expect(outcomeOf(response)).toBe('401 API_KEY_INVALID');
    }
  });
});
