import { keyNamed } from '../../support/access-gateway.js';
import { openAccessOnClickHouse } from '../../support/access-on-clickhouse.js';
import { httpMessage } from '../../support/mcp-message.js';
import { sendRequest, type NetworkResponse } from '../../support/network-request.js';
import { fillTables, NOW, type Hidden } from './non-interference/hidden-rows.js';
import { compareOutcomes } from './non-interference/outcomes.js';
import { generateCalls, type PlainCall } from './non-interference/plain-calls.js';
import { openForAll } from '../../support/opened.js';

const CALLS = Number(process.env['NON_INTERFERENCE_CALLS'] ?? 40);
const SEED = Number(process.env['NON_INTERFERENCE_SEED'] ?? 20_960_303);
const { endpoints, calls } = generateCalls(CALLS, SEED);

/** Calls of the shipped endpoints: their own filters, and one that reads every row of the neighbours. */
const SHIPPED: readonly PlainCall[] = [
  { endpoint: 'functions.invocation-stats', parameters: { interval: '1hr' } },
  { endpoint: 'functions.invocation-stats', parameters: { interval: '1day', function_id: 'SECRET' } },
  { endpoint: 'logs.all', parameters: {} },
  { endpoint: 'logs.all', parameters: { iso_timestamp_start: '2096-03-01T00:00:00Z' } },
];

const BUDGET = { quota: 1_000_000_000, window: 3600 };
const UNCACHED = { caching: 'disabled', warming: 0 } as const;

const opened = openForAll(async () => {
  const fixed = { project: 'mine' };
  return openAccessOnClickHouse({
    keys: {
      tenant: { fixed },
      // Never exhausted: a request over such a budget tells a bit, which the reference says.
      metered: { fixed, limits: { rowsRead: BUDGET, bytesRead: BUDGET, clickhouseMs: BUDGET } },
      everything: { limits: { rowsRead: BUDGET } },
    },
    settings: { 'functions.invocation-stats': UNCACHED, 'logs.all': UNCACHED },
    more: endpoints,
    clock: () => NOW,
  });
});

const fill = (hidden: Hidden): Promise<void> => fillTables([opened.database.connection], '', hidden);

/** A way to send a call. */
type Send = (call: PlainCall, key?: string) => Promise<NetworkResponse>;

const headers = { 'X-Request-Id': 'non-interference' };

const get =
  (format: string): Send =>
  ({ endpoint, parameters }, key = 'metered') => {
    const query = new URLSearchParams({ ...parameters, format });
    return opened.gateway.send(key, `/api/endpoints/query/${endpoint}?${query.toString()}`, { headers });
  };

const tool: Send = ({ endpoint, parameters }, key = 'metered') => {
  const name = endpoint.replaceAll('.', '_');
  const message = httpMessage('2025-11-25', {
    method: 'tools/call',
    params: { name, arguments: parameters },
  });
  return sendRequest(`${opened.gateway.url()}/mcp`, {
    method: 'POST',
    headers: { ...headers, ...message.headers, 'X-API-KEY': keyNamed(key) },
    body: message.body,
  });
};

/** Everything that a caller observes but the clock: the date and the total of the elapsed milliseconds. */
function observed({ status, headers: { date, ...sent }, text }: NetworkResponse): string {
  const timing = String(sent['server-timing']).replace(/^total;dur=\d+\.\d\d$/, 'total');
  return `${status} ${JSON.stringify({ ...sent, 'server-timing': timing, date: typeof date })} ${text}`;
}

const WAYS: readonly (readonly [string, Send])[] = [
  ['json', get('json')],
  ['json-table', get('json-table')],
  ['csv', get('csv')],
  ['arrow', get('arrow')],
  ['a tool of MCP', tool],
];

describe('what a key with a pinned project observes does not depend on the rows of other projects', () => {
  it.each(WAYS)(
    'in %s',
    async (way, send) => {
      const statements = [...calls, ...SHIPPED].map((call) => ({
        ...call,
        shape: way,
        sql: JSON.stringify(call),
      }));
      const { leaks, succeeded } = await compareOutcomes(statements, fill, async (call) =>
        observed(await send(call)),
      );
      expect(leaks.map(({ sql }) => sql)).toEqual([]);
      expect(succeeded).toBe(statements.length);
    },
    300_000,
  );
});

describe('figures of what ClickHouse read', () => {
  const [first = { endpoint: '', parameters: {} }] = calls;
  const costsIn = async (key: string): Promise<readonly boolean[]> => {
    const table = await get('json-table')(first, key);
    const result = await tool(first, key);
    const sent = [table, result].map((response) => response.headers['ratelimit'] ?? '').join();
    return [
      table.text.includes('"statistics"'),
      result.text.includes('"cost"'),
      sent.includes('"rows-read"'),
      String(table.headers['server-timing']).includes('clickhouse'),
      String(table.headers['server-timing']).includes('queue'),
    ];
  };

  it('are in responses to a key that sees every row', async () => {
    await fill('harmless');
    const call = { ...first, parameters: { ...first.parameters, project: 'mine' } };
    const table = await get('json-table')(call, 'everything');
    const result = await tool(call, 'everything');
    expect(table.text).toContain('"statistics":{"elapsed":');
    expect(result.text).toContain('"cost":{"rowsRead":');
    expect(table.headers['ratelimit']).toContain('"rows-read";r=');
    expect(table.headers['server-timing']).toMatch(/^total;dur=.*, queue;dur=.*, clickhouse;dur=/);
  });

  it.each(['tenant', 'metered'])('are in no response to a key with pinned parameters: %s', async (key) => {
    expect(await costsIn(key)).toEqual([false, false, false, false, false]);
  });
});
