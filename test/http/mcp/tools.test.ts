import type { Client } from '@modelcontextprotocol/client';

import { REVISIONS, rowsOfTool } from '../../support/mcp-client.js';
import { callTool, rowsOf, useMcpShop } from '../../support/mcp-shop.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';

const shop = useMcpShop();
const namesOf = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map((tool) => tool.name);

describe.each(REVISIONS)('in the revision %s', (revision) => {
  it('names the gateway, and no prompts', async () => {
    const client = await shop.connect('all', revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'querygate', version: '0.0.0-test' });
    expect(client.getInstructions()).toContain('max_rows');
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: false },
      resources: { listChanged: false },
    });
  });

  it('lists a tool for each endpoint that the key may call', async () => {
    expect(await namesOf(await shop.connect('all', revision))).toEqual(['sample', 'shop_daily-orders']);
    expect(await namesOf(await shop.connect('few', revision))).toEqual(['sample']);
    // An endpoint that does not declare the pinned parameter cannot be called with that key.
    expect(await namesOf(await shop.connect('rome', revision))).toEqual(['shop_daily-orders']);
  });

  it('calls an endpoint, and the client finds the result as the output schema says', async () => {
    const client = await shop.connect('all', revision);
    await client.listTools();
    const result = rowsOfTool(await callTool(client, { shop: 'rome', unit: 'hour', names: ['b', 'a,c'] }));
    expect(shop.gateway.runQuery.onlyRequest.query.parameters).toMatchObject({
      shop: 'rome',
      unit: 'hour',
      names: ['b', 'a,c'],
    });
    expect(result).toMatchObject({
      rowsReturned: 50,
      rowsFound: 120,
      truncated: false,
      ageSeconds: 0,
      freshSeconds: 60,
    });
    expect(result.rows).toEqual(rowsOf(50));
    expect(result.cost).toEqual({ rowsRead: 10, bytesRead: 100, clickhouseMs: 1.5 });
  });
});

describe('tools/list', () => {
  const toolOf = async (name: string) => {
    const { tools } = await (await shop.connect(name)).listTools();
    return tools.find((tool) => tool.name === 'shop_daily-orders');
  };

  it('describes the tool: title, text, arguments, columns, and that it changes nothing', async () => {
    expect(await toolOf('all')).toMatchObject({
      title: 'shop.daily-orders',
      description: 'Orders of a day. At most 200 rows; cached for 60 s.',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      inputSchema: {
        type: 'object',
        required: ['shop'],
        additionalProperties: false,
        properties: {
          shop: { type: 'string', description: 'The shop.', examples: ['rome'] },
          unit: { type: 'string', enum: ['day', 'hour'], description: 'A value. Default: day.' },
          names: { type: 'array', items: { type: 'string' } },
          max_rows: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
        },
      },
    });
  });

  it('shows no example of a secret, and no format for times, of which the gateway accepts more forms', async () => {
    const { token, since } = (await toolOf('all'))?.inputSchema.properties as Record<string, object>;
    expect(token).not.toHaveProperty('examples');
    expect(since).not.toHaveProperty('format');
  });

  it('describes numbers that JSON programs round as numbers or texts', async () => {
    const { rows } = (await toolOf('all'))?.outputSchema?.['properties'] as Record<
      string,
      { items: Record<string, object> }
    >;
    expect(rows?.items['properties']).toEqual({
      id: { type: ['integer', 'string'], minimum: 0, description: 'The order.' },
      price: { type: ['number', 'string'], description: 'In euros.' },
      level: { type: 'string', enum: ['low', 'high'], description: 'How urgent.' },
      at: { type: ['string', 'null'], format: 'date-time', description: 'When.' },
    });
  });

  it('says how texts of numbers look, which texts are empty, and that a list is an array', async () => {
    const { tools } = await (await shop.connect()).listTools();
    const [, tool] = tools;
    expect(tool?.inputSchema.properties).toMatchObject({
      names: { description: 'A value. Order and duplicates count. Here an array, with each item by itself.' },
    });
  });

  it('leaves out what the key pins', async () => {
    const schema = (await toolOf('rome'))?.inputSchema;
    expect(schema?.properties).not.toHaveProperty('shop');
    expect(schema?.required).toBeUndefined();
  });

  it('lists the endpoints with one of the tags in the URL', async () => {
    expect(await namesOf(await shop.connect('all', '2026-07-28', '?tag=shop'))).toEqual([
      'shop_daily-orders',
    ]);
    expect(await namesOf(await shop.connect('all', '2026-07-28', '?tag=small,shop'))).toHaveLength(2);
    expect(await namesOf(await shop.connect('all', '2026-07-28', '?tag=small&tag=shop'))).toHaveLength(2);
    expect(await namesOf(await shop.connect('all', '2026-07-28', '?tag=other'))).toEqual([]);
  });

  it('lists nothing for a tag that no endpoint has, and everything for an empty one', async () => {
    expect(await namesOf(await shop.connect('all', '2026-07-28', '?tag=none'))).toEqual([]);
    expect(await namesOf(await shop.connect('all', '2026-07-28', '?tag='))).toHaveLength(2);
  });

  it('filters the list only: a tool without the tag can be called', async () => {
    const client = await shop.connect('all', '2026-07-28', '?tag=shop');
    expect(rowsOfTool(await callTool(client, { city: 'Rome' }, 'sample')).rowsFound).toBe(120);
  });
});

describe('a list with many endpoints', () => {
  const MANY = Array.from({ length: 120 }, (_, index) =>
    sampleEndpoint({
      id: `11111111-2222-4333-8444-${String(index).padStart(12, '0')}`,
      name: `e-${String(index).padStart(3, '0')}`,
    }),
  );

  it('comes in pages, which together have each tool once', async () => {
    await shop.gateway.close();
    await shop.open({ endpoints: MANY, keys: { all: {} } });
    const client = await shop.connect();
    const found: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await client.request({
        method: 'tools/list',
        params: { ...(cursor !== undefined && { cursor }) },
      });
      found.push(...page.tools.map((tool) => tool.name));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBe(3);
    expect(found).toEqual(MANY.map(({ name }) => name));
  });

  it.each(['', '!', 'AA==', 'gA'])('rejects the cursor %j', async (cursor) => {
    const client = await shop.connect();
    await expect(client.request({ method: 'tools/list', params: { cursor } })).rejects.toMatchObject({
      code: -32_602,
    });
  });
});
