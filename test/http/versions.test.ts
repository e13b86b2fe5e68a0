import { defineEndpoint, withSettings, type Endpoint } from '../../src/endpoint/endpoint.js';
import type { DeprecationRules } from '../../src/endpoint/deprecation.js';
import { keyNamed, withAccess, type AccessGateway, type RequestPath } from '../support/access-gateway.js';
import { connectMcp, textOfTool } from '../support/mcp-client.js';
import { outcomeOf } from '../support/network-request.js';
import { SAMPLE } from '../support/sample-endpoint.js';

const QUERY = '/api/endpoints/query';
const ID = '11111111-2222-4333-8444-00000000000';

/** The second version of the endpoint `events.count`, and the first, which is deprecated. */
function versions(deprecated: DeprecationRules, goneAfterSunset?: boolean): readonly Endpoint[] {
  const first = defineEndpoint({ ...SAMPLE, id: `${ID}1`, name: 'events.count', deprecated });
  return [
    goneAfterSunset === undefined ? first : withSettings(first, { goneAfterSunset }),
    defineEndpoint({ ...SAMPLE, id: `${ID}2`, name: 'events.count@2' }),
  ];
}

const RULES = { since: '2026-01-01', sunset: '2026-05-18', successor: 'events.count@2' };
const HEADERS = {
  deprecation: '@1767225600',
  sunset: 'Mon, 18 May 2026 00:00:00 GMT',
  link: [
    `<${QUERY}/events.count@2>; rel="successor-version"`,
    '</api/endpoints/events.count>; rel="deprecation"',
    '</api/endpoints/events.count>; rel="sunset"',
  ].join(', '),
};

const KEYS = {
  all: {},
  family: { endpoints: ['events.*'] },
  first: { endpoints: ['events.count'] },
  second: { endpoints: ['events.count@2'] },
};

const open = (
  use: (gateway: AccessGateway) => Promise<void>,
  rules: DeprecationRules = RULES,
  goneAfterSunset?: boolean,
): Promise<void> => withAccess({ keys: KEYS, endpoints: versions(rules, goneAfterSunset) }, use);

describe('a version of an endpoint', () => {
  it('is another endpoint than the name without it, also where the sign is percent-encoded', async () => {
    await open(async (gateway) => {
      for (const name of ['events.count@2', 'events.count%402', `${ID}2`]) {
        const { headers } = await gateway.send('all', `${QUERY}/${name}`);
        expect([headers['x-cache'], headers['deprecation']]).toEqual([expect.any(String), undefined]);
      }
      expect((await gateway.send('all', `${QUERY}/events.count`)).headers).toMatchObject({
        'x-cache': 'MISS',
        ...HEADERS,
      });
      expect(outcomeOf(await gateway.send('all', `${QUERY}/events.count@3`))).toBe('404 ENDPOINT_NOT_FOUND');
      const { text } = await gateway.send('all', `${QUERY}/events.count@3`);
      expect(text).toContain('did you mean events.count@2?');
    });
  });

  it.each([
    ['family', '200', '200'],
    ['first', '200', '403 FORBIDDEN'],
    ['second', '403 FORBIDDEN', '200'],
  ])('is for the keys that name it, or a pattern of it: %s', async (key, ofFirst, ofSecond) => {
    await open(async (gateway) => {
      const outcome = async (name: string): Promise<string> =>
        outcomeOf(await gateway.send(key, `${QUERY}/${name}`));
      expect([await outcome('events.count'), await outcome('events.count@2')]).toEqual([ofFirst, ofSecond]);
    });
  });

  it('is a tool of its own for agents, and the description of the deprecated one names it', async () => {
    await open(async (gateway) => {
      const headers = { 'X-API-KEY': keyNamed('all') };
      const client = await connectMcp({ url: `${gateway.url()}/mcp`, headers });
      const { tools } = await client.listTools();
      expect(tools.map(({ name, description }) => [name, description])).toEqual([
        [
          'events_count',
          'Deprecated as of 2026-01-01, may be removed as of 2026-05-18: use events_count_v2. A sample. At most 10 rows; cached for 60 s.',
        ],
        ['events_count_v2', 'A sample. At most 10 rows; cached for 60 s.'],
      ]);
      await client.callTool({ name: 'events_count_v2', arguments: { city: 'Rome' } });
      expect(gateway.runQuery.onlyRequest.query.parameters).toMatchObject({ city: 'Rome' });
      await client.close();
    });
  });
});

describe.each<RequestPath>(['slow path', 'fast path'])('a deprecated endpoint, on the %s', (via) => {
  it('responds as before, and its headers report it', async () => {
    await open(async (gateway) => {
      const target = `${QUERY}/events.count?city=Rome`;
      const miss = await gateway.send('first', target, { via });
      const hit = await gateway.send('first', target, { via });
      expect([miss.headers, hit.headers]).toEqual([
        expect.objectContaining({ 'x-cache': 'MISS', ...HEADERS }),
        expect.objectContaining({ 'x-cache': 'HIT', ...HEADERS }),
      ]);
      expect(hit.text).toBe(miss.text);
      const headers = { 'If-None-Match': String(hit.headers.etag) };
      const unchanged = await gateway.send('first', target, { via, headers });
      expect([unchanged.status, unchanged.headers]).toEqual([304, expect.objectContaining(HEADERS)]);
      expect(gateway.servedOnFastPath).toBe(via === 'fast path' ? 2 : 0);
    });
  });

  it.each([
    [undefined, '200', '200'],
    [false, '200', '200'],
    [true, '200', '410 ENDPOINT_GONE'],
  ])('is removed at its sunset only where the project says so: %s', async (gone, before, after) => {
    await open(
      async (gateway) => {
        const call = async (): Promise<string> =>
          outcomeOf(await gateway.send('first', `${QUERY}/events.count?city=Rome`, { via }));
        expect([await call(), await call()]).toEqual([before, before]);
        // The result is still in the cache.
        gateway.clock.milliseconds = Date.parse('2026-05-17T23:59:59.999Z');
        expect([await call(), await call()]).toEqual([before, before]);
        gateway.clock.advance(0.001);
        expect([await call(), await call()]).toEqual([after, after]);
        expect(outcomeOf(await gateway.send('second', `${QUERY}/events.count@2?city=Rome`))).toBe('200');
      },
      RULES,
      gone,
    );
  });
});

describe('an endpoint that was removed', () => {
  it('is no longer warmed', async () => {
    const [first, second] = versions(RULES, true).map((endpoint) => withSettings(endpoint, { warming: 30 }));
    await withAccess(
      { keys: KEYS, endpoints: [first, second].flatMap((one) => one ?? []) },
      async (gateway) => {
        gateway.clock.milliseconds = Date.parse('2026-05-17T23:59:30Z');
        await gateway.send('all', `${QUERY}/events.count?city=Rome`);
        await gateway.send('all', `${QUERY}/events.count@2?city=Rome`);
        const refreshed = async (): Promise<number> => {
          const before = gateway.runQuery.requests.length;
          await gateway.execution.warmer.tick({ all: true });
          return gateway.runQuery.requests.length - before;
        };
        expect(await refreshed()).toBe(2);
        gateway.clock.advance(30);
        expect(await refreshed()).toBe(1);
      },
    );
  });

  it('names its successor, before it looks at the parameters, and only to callers who might call it', async () => {
    await open(
      async (gateway) => {
        gateway.clock.milliseconds = Date.parse('2026-06-01T00:00:00Z');
        const { text, headers } = await gateway.send('first', `${QUERY}/events.count?format=none`);
        expect(headers).toMatchObject(HEADERS);
        expect(JSON.parse(text)).toMatchObject({
          status: 410,
          code: 'ENDPOINT_GONE',
          detail: 'This endpoint was removed on 2026-05-18. Call events.count@2 instead.',
        });
        const forbidden = await gateway.send('second', `${QUERY}/events.count`);
        expect([outcomeOf(forbidden), forbidden.headers['link']]).toEqual(['403 FORBIDDEN', undefined]);
      },
      RULES,
      true,
    );
  });

  it('without a successor has none in its problem and in its headers', async () => {
    const { since, sunset } = RULES;
    await open(
      async (gateway) => {
        gateway.clock.milliseconds = Date.parse('2026-06-01T00:00:00Z');
        const { text, headers } = await gateway.send('first', `${QUERY}/events.count`);
        expect(text).toContain('It has no successor.');
        expect(headers['link']).not.toContain('successor');
      },
      { since, sunset },
      true,
    );
  });

  it('is a problem of its tool that an agent can act on', async () => {
    await open(
      async (gateway) => {
        gateway.clock.milliseconds = Date.parse('2026-06-01T00:00:00Z');
        const headers = { 'X-API-KEY': keyNamed('all') };
        const client = await connectMcp({ url: `${gateway.url()}/mcp`, headers });
        const result = await client.callTool({ name: 'events_count', arguments: {} });
        expect([result.isError, textOfTool(result)]).toEqual([
          true,
          expect.stringContaining('Call events.count@2 instead'),
        ]);
        await client.close();
      },
      RULES,
      true,
    );
  });
});

describe('a deprecated endpoint', () => {
  it('has its headers in each response to a call: of HEAD, of POST, and in a problem', async () => {
    await open(async (gateway) => {
      const target = `${QUERY}/events.count`;
      const json = { 'Content-Type': 'application/json' };
      for (const response of [
        await gateway.send('first', target, { method: 'HEAD' }),
        await gateway.send('first', target, { method: 'POST', headers: json, body: '{}' }),
        await gateway.send('first', `${target}?format=none`),
      ]) {
        expect(response.headers).toMatchObject(HEADERS);
      }
    });
  });
});

describe('the metrics and the log', () => {
  it('name a version as its callers do', async () => {
    await open(async (gateway) => {
      await gateway.send('all', `${QUERY}/${ID}2`);
      expect(await gateway.execution.metrics.registry.metrics()).toContain('endpoint="events.count@2"');
      const { fields } = await gateway.logger.line('request');
      expect(fields).toMatchObject({ endpoint: 'events.count@2' });
    });
  });
});

describe('the description of a deprecated endpoint', () => {
  it('has since, sunset and successor in the list, and a mark in OpenAPI', async () => {
    await open(
      async (gateway) => {
        const described = JSON.parse(
          (await gateway.send('all', '/api/endpoints/events.count')).text,
        ) as object;
        expect(described).toMatchObject({
          deprecated: {
            since: '2026-01-01T00:00:00.000Z',
            sunset: '2026-05-18T00:00:00.000Z',
            successor: 'events.count@2',
            goneAfterSunset: true,
          },
        });
        const { text } = await gateway.send('all', '/openapi.json');
        const { paths } = JSON.parse(text) as {
          readonly paths: Readonly<Record<string, { readonly get: Readonly<Record<string, unknown>> }>>;
        };
        const first = paths[`${QUERY}/events.count`]?.get;
        const second = paths[`${QUERY}/events.count@2`]?.get;
        expect([first?.['operationId'], first?.['deprecated']]).toEqual(['eventsCount', true]);
        expect(Object.keys(first?.['responses'] ?? {})).toContain('410');
        expect([second?.['operationId'], second?.['deprecated']]).toEqual(['eventsCountV2', undefined]);
        expect(Object.keys(second?.['responses'] ?? {})).not.toContain('410');
      },
      RULES,
      true,
    );
  });
});
