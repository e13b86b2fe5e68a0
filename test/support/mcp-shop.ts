import type { CallToolResult, Client } from '@modelcontextprotocol/client';

import { column } from '../../src/endpoint/definition.js';
import { defineEndpoint } from '../../src/endpoint/endpoint.js';
import { oneOf, sql, text, textList, timestamp } from '../../src/endpoint/index.js';
import { AccessGateway, keyNamed } from './access-gateway.js';
import { connectMcp, type Revision } from './mcp-client.js';
import { sampleEndpoint } from './sample-endpoint.js';

const description = 'A value.';

/** An endpoint with a parameter that a key pins, a secret one, and columns of several types; its tool is `shop_daily-orders`. */
export const ORDERS = defineEndpoint({
  id: '11111111-2222-4333-8444-777777777777',
  name: 'shop.daily-orders',
  summary: 'Orders of a day.',
  tags: ['shop'],
  parameters: {
    shop: text({ description: 'The shop.', required: true }),
    unit: oneOf(['day', 'hour'], { description, default: 'day' }),
    since: timestamp({ description, relativeStep: '1m' }),
    names: textList({ description }),
    token: text({ description, secret: true }),
  },
  columns: {
    id: column('UInt64', 'The order.'),
    price: column('Decimal(38, 10)', 'In euros.'),
    level: column("Enum8('low' = 1, 'high' = 2)", 'How urgent.'),
    at: column("Nullable(DateTime64(6, 'UTC'))", 'When.'),
  },
  maxRows: 200,
  caching: 60,
  warming: 0,
  sandboxing: 'disabled',
  example: { shop: 'rome', token: 'hush' },
  build: ({ shop, unit, since, names, token }) =>
    sql`SELECT 1 AS id, 1 AS price, 'low' AS level, NULL AS at WHERE ${shop} = ${unit} AND ${since} > 1 AND has(${names}, ${token})`,
});
/** An endpoint with another tag. */
export const SAMPLE = sampleEndpoint({ tags: ['city', 'small'] });
const ROW = { id: 1, price: 2.5, level: 'low', at: '2026-05-17T10:05:03.123456Z' };
/** Rows of {@link ORDERS}. */
export const rowsOf = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, id) => ({ ...ROW, id }));

/** A gateway with two endpoints, and clients of its tools. */
export class McpShop {
  gateway!: AccessGateway;

  /** @param more what differs from the usual gateway, which has the keys `all`, `rome` (pinned) and `few`. */
  async open(more: Partial<Parameters<typeof AccessGateway.open>[0]> = {}): Promise<void> {
    this.gateway = await AccessGateway.open({
      endpoints: [ORDERS, SAMPLE],
      keys: { all: {}, rome: { fixed: { shop: 'rome' } }, few: { endpoints: ['sample'] } },
      ...more,
    });
    this.gateway.runQuery.returnRows(rowsOf(120));
  }

  /** Connects a client with the key of that name. @param query of the URL. */
  connect(name = 'all', revision: Revision = '2026-07-28', query = ''): Promise<Client> {
    const url = `${this.gateway.url()}/mcp${query}`;
    return connectMcp({ url, headers: { 'X-API-KEY': keyNamed(name) }, revision });
  }
}

/** Opens the gateway before each test and closes it afterwards. */
export function useMcpShop(): McpShop {
  const shop = new McpShop();
  beforeEach(() => shop.open());
  afterEach(() => shop.gateway.close());
  return shop;
}

/** Calls a tool, that of {@link ORDERS} by default. */
export function callTool(
  client: Client,
  args: Record<string, unknown>,
  name = 'shop_daily-orders',
): Promise<CallToolResult> {
  return client.callTool({ name, arguments: args });
}
