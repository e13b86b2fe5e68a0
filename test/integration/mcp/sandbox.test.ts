import type { CallToolResult } from '@modelcontextprotocol/client';

import { rowsOfTool, textOfTool } from '../../support/mcp-client.js';
import { McpOnClickHouse } from '../../support/mcp-on-clickhouse.js';
import { openForAll } from '../../support/opened.js';

const SECRET = 'SECRET-of-boreal';

const mcp = openForAll(() =>
  McpOnClickHouse.open({
    keys: { aurora: { fixed: { project: 'aurora' } }, everything: {} },
    settings: { 'logs.all': { sandboxing: 'enabled', maxRows: 20 } },
  }),
);
beforeAll(async () => {
  const timestamp = new Date(Date.now() - 60_000).toISOString().replace('Z', '');
  const rows = ['aurora', 'boreal'].flatMap((project) =>
    Array.from({ length: 30 }, (_, n) => ({
      project,
      timestamp,
      event_message: project === 'aurora' ? `mine ${n}` : SECRET,
    })),
  );
  await mcp.database.insert('edge_logs', rows);
});

const call = async (
  args: Record<string, unknown>,
  key = 'aurora',
  name = 'logs_all',
): Promise<CallToolResult> => (await mcp.connect({ key })).callTool({ name, arguments: args });

describe('a tool of an endpoint with sandboxing', () => {
  it('describes sql as an argument, and rows of any columns', async () => {
    const client = await mcp.connect({ key: 'aurora' });
    const tool = (await client.listTools()).tools.find(({ name }) => name === 'logs_all');
    expect(tool?.inputSchema.properties).toHaveProperty('sql');
    expect(tool?.outputSchema?.['properties']).toMatchObject({
      rows: { type: 'array', items: { type: 'object' } },
    });
    const sql = 'SELECT count() AS n, any(event_message) AS text FROM edge_source';
    // The client compares the result with the output schema.
    const { rows } = rowsOfTool(await client.callTool({ name: 'logs_all', arguments: { sql } }));
    expect(rows).toEqual([{ n: 30, text: expect.stringMatching(/^mine/) as string }]);
    // ClickHouse has been asked which parts the key may read, at the latest for this call.
    const [after] = (await client.listTools()).tools.filter(({ name }) => name === 'logs_all');
    expect(JSON.stringify(after?.inputSchema.properties?.['sql'])).toContain(
      'It can also read `edge_source`, ',
    );
  });

  it('returns no cost for the caller’s own SQL, and the cost of the saved query', async () => {
    const args = { project: 'aurora', sql: 'SELECT 1 AS n FROM result LIMIT 1' };
    expect(rowsOfTool(await call(args, 'everything'))).not.toHaveProperty('cost');
    const { cost } = rowsOfTool(await call({ project: 'aurora' }, 'everything'));
    expect(Number(cost?.['rowsRead'])).toBeGreaterThan(0);
  });

  it('cuts the rows of the caller’s own SQL to max_rows and to the row cap, and says so', async () => {
    const sql = 'SELECT event_message FROM edge_source ORDER BY event_message';
    const few = rowsOfTool(await call({ sql, max_rows: 2 }));
    expect([few.rowsReturned, few.rowsFound, few.truncated]).toEqual([2, 20, true]);
    expect(few.notes.join()).toContain('rows has the first 2 of 20 rows');
  });

  it.each([
    ['SELECT * FROM edge_logs', 'edge_logs'],
    ["SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')", 'url'],
    ['SELECT missing FROM result', 'missing'],
    ['SELECT', 'sql'],
    ['', 'sql'],
    ['DROP TABLE edge_logs', 'sql'],
    ['SELECT sleep(3)', 'sleep'],
  ])('returns a tool error that says what to correct: %s', async (sql, expected) => {
    const result = await call({ sql });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toBeUndefined();
    const text = textOfTool(result);
    expect(text).toMatch(/^The arguments are invalid:\n- sql .*\nCorrect them and call again\./s);
    expect(text).toContain(expected);
    expect(text).not.toMatch(/SECRET-of|DB::|Exception/);
  });

  it.each([[1], [true], [['SELECT 1']], [{}]])('rejects %j as sql', async (sql) => {
    const result = await call({ sql });
    expect(result.isError ?? false).toBe(true);
    expect(textOfTool(result)).toContain('- sql ');
  });
});

it('an endpoint without sandboxing has no sql, and rejects it', async () => {
  const client = await mcp.connect({ key: 'aurora' });
  const name = 'functions_invocation-stats';
  const tool = (await client.listTools()).tools.find((candidate) => candidate.name === name);
  expect(tool?.inputSchema.properties).not.toHaveProperty('sql');
  const result = await call({ interval: '1hr', sql: 'SELECT 1' }, 'aurora', name);
  expect(result.isError).toBe(true);
  expect(textOfTool(result)).toContain('- sql is no argument of this tool');
});
