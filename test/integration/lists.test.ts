import fc from 'fast-check';

import { readSqlEndpoint } from '../support/read-sql-endpoint.js';
import { anyText } from '../support/any-text.js';
import { LINK_SECRET } from '../support/test-credentials.js';
import { rowsOfTool } from '../support/mcp-client.js';
import { McpOnClickHouse } from '../support/mcp-on-clickhouse.js';
import { outcomeOf, rowsIn, type NetworkResponse } from '../support/network-request.js';
import { sqlEndpointFile } from '../support/sql-endpoint-file.js';
import { openForAll } from '../support/opened.js';

const ECHO = readSqlEndpoint(
  sqlEndpointFile(
    'lists.echo',
    [
      'parameters:',
      '  ids: { kind: string-list, default: x, description: A list. }',
      '  n: { kind: integer-list, default: 0, description: A list of numbers. }',
      '  any: { kind: string-list, default: x, set: true, description: A set. }',
      '  raw: { kind: string-list, default: x, verbatim: true, description: As it is. }',
      'columns: { ids: Array(String), n: Array(Int64), any: Array(String), raw: Array(String) }',
    ],
    'SELECT @ids AS ids, @n AS n, @any AS any, @raw AS raw',
  ),
);
const FUNNEL = readSqlEndpoint(
  sqlEndpointFile(
    'lists.funnel',
    [
      'parameters:',
      '  steps: { kind: string-list, required: true, description: Events in their order. }',
      'columns: { step: UInt8, event: String, people: UInt64 }',
      'example: { steps: [view, cart, buy] }',
    ],
    [
      "WITH visits AS (SELECT * FROM values('at DateTime, who String, event String',",
      "  ('2026-11-01 10:00:00', 'ann', 'view'), ('2026-11-01 10:01:00', 'ann', 'cart'), ('2026-11-01 10:02:00', 'ann', 'buy'),",
      "  ('2026-11-01 10:00:00', 'bob', 'view'), ('2026-11-01 10:05:00', 'bob', 'cart')))",
      'SELECT n AS step, @steps[n] AS event, countIf(reached >= n) AS people FROM (',
      '  SELECT who, windowFunnel(3600)(at, event = @steps[1], event = @steps[2], event = @steps[3]) AS reached',
      '  FROM visits GROUP BY who)',
      'ARRAY JOIN [1, 2, 3] AS n GROUP BY n ORDER BY n',
    ].join('\n'),
  ).replace('dba0', 'dba1'),
);
const CALL = '/api/endpoints/query/lists.echo';

const mcp = openForAll(() =>
  McpOnClickHouse.open({
    keys: { caller: { mayLink: true }, pinned: { fixed: { ids: 'b,a,b' } } },
    environment: { LINK_SECRET },
    more: [ECHO, FUNNEL],
  }),
);

type Via = 'slow path' | 'fast path';
const get = (query: string, via: Via = 'fast path', key = 'caller'): Promise<NetworkResponse> =>
  mcp.gateway.send(key, `${CALL}?${query}`, { via });
const post = (body: object, target = CALL): Promise<NetworkResponse> =>
  mcp.gateway.send('caller', target, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
const cacheOf = ({ headers }: NetworkResponse): unknown => headers['x-cache'];
const valueIn = (response: NetworkResponse, column = 'ids'): unknown => rowsIn(response).at(0)?.[column];

it('keeps the steps of a funnel in the caller’s order', async () => {
  const path = '/api/endpoints/query/lists.funnel';
  const steps = ['view', 'cart', 'buy'];
  const right = [2, 2, 1].map((people, at) => ({ step: at + 1, event: steps[at], people }));
  expect(rowsIn(await mcp.gateway.send('caller', `${path}?steps=${steps.join()}`))).toEqual(right);
  expect(rowsIn(await post({ steps }, path))).toEqual(right);
});

it('binds every list in its order, with its duplicates, from a GET, a POST and a tool', async () => {
  const client = await mcp.connect();
  const text = anyText({ maxLength: 4 }).filter((item) => !/[\0,]/.test(item));
  const letter = fc.constantFrom('a', 'b', 'B', '', ' ', "'", '\\', '10', '9');
  const items = fc.array(fc.oneof(letter, text), { minLength: 1, maxLength: 12 });
  const numbers = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(items, numbers, async (ids, n) => {
      fc.pre(!/^\[.*\]$/s.test(ids.join(',')) && !ids.some((item) => /^\[.*\]$/s.test(item)));
      const pairs: [string, string][] = [
        ...ids.map((item): [string, string] => ['ids', item]),
        ...n.map((item): [string, string] => ['n', String(item)]),
      ];
      const repeated = new URLSearchParams(pairs).toString();
      const commas = new URLSearchParams({ ids: ids.join(','), n: n.join(',') }).toString();
      for (const via of ['slow path', 'fast path'] as const) {
        for (const query of [commas, repeated]) {
          const response = await get(query, via);
          expect([valueIn(response), valueIn(response, 'n')]).toEqual([ids, n]);
        }
      }
      const posted = await post({ ids, n });
      expect([cacheOf(posted), valueIn(posted), valueIn(posted, 'n')]).toEqual(['HIT', ids, n]);
      const tool = rowsOfTool(await client.callTool({ name: 'lists_echo', arguments: { ids, n } }));
      expect(tool.rows[0]).toMatchObject({ ids, n });
    }),
    { numRuns: 25 },
  );
});

it('gives each order of a list an entry of its own, and all orders of a set one', async () => {
  const tags: unknown[] = [];
  for (const ids of ['q,r', 'r,q', 'q,r,q', 'q,q,r']) {
    const response = await get(`ids=${ids}`);
    expect([cacheOf(response), valueIn(response)]).toEqual(['MISS', ids.split(',')]);
    tags.push(response.headers.etag);
  }
  expect(new Set(tags).size).toBe(4);
  expect(cacheOf(await get('any=s,r,s'))).toBe('MISS');
  for (const same of ['any=r,s', 'any=s&any=r&any=r']) {
    const response = await get(same);
    expect([cacheOf(response), valueIn(response, 'any')]).toEqual(['HIT', ['r', 's']]);
  }
  expect(cacheOf(await post({ any: ['s', 'r'] }))).toBe('HIT');
});

it('binds a pinned list in the order of the keys file', async () => {
  expect(valueIn(await get('n=1', 'slow path', 'pinned'))).toEqual(['b', 'a', 'b']);
  expect(valueIn(await get('n=1&ids=b&ids=a,b', 'slow path', 'pinned'))).toEqual(['b', 'a', 'b']);
  expect(outcomeOf(await get('n=1&ids=a,b', 'slow path', 'pinned'))).toBe('403 FORBIDDEN');
});

describe('a list in brackets', () => {
  const HOW = 'ids must not be in brackets: write ids=a,b or ids=a&ids=b; in JSON it is an array';

  it.each(['["a","b"]', '[]', '[a]', '["a"]&ids=b', 'b&ids=[a]&ids=c', '["a"]&ids=["b"]'])(
    'is 400 that shows how one is written: %s',
    async (ids) => {
      const response = await get(`ids=${ids}`, 'slow path');
      expect([response.status, response.text]).toEqual([400, expect.stringContaining(HOW)]);
    },
  );

  it('is 400 as a text in a body and in the arguments of a tool, and a link to it cannot be signed', async () => {
    const ids = '["a","b"]';
    expect((await post({ ids })).text).toContain(HOW);
    const link = { endpoint: 'lists.echo', parameters: { ids }, expiresIn: 60 };
    expect((await post(link, '/api/links')).text).toContain(HOW);
    const tool = await (await mcp.connect()).callTool({ name: 'lists_echo', arguments: { ids } });
    expect([tool.isError, JSON.stringify(tool.content)]).toEqual([true, expect.stringContaining(HOW)]);
  });

  it('is taken as it is where the list is verbatim, or where the items are an array', async () => {
    expect(valueIn(await get('raw=["b","a"]'), 'raw')).toEqual(['["b"', '"a"]']);
    expect(valueIn(await post({ ids: ['[a', 'b]'] }))).toEqual(['[a', 'b]']);
    expect(valueIn(await get('ids=[a,b'))).toEqual(['[a', 'b']);
    const events = '/api/endpoints/query/get-grouped-stats-events-logs?event_ids=["a"]';
    expect((await mcp.gateway.send('caller', events)).status).toBe(200);
  });
});
