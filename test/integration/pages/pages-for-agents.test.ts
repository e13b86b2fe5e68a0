import { KEYS, PagingGateway } from '../../support/paging-gateway.js';
import { openForAll } from '../../support/opened.js';

const paging = openForAll(() => PagingGateway.open());

interface ToolRows {
  readonly rowsReturned: number;
  readonly rowsFound: number;
  readonly truncated: boolean;
  readonly next_cursor?: string;
  readonly notes: readonly string[];
  readonly rows: readonly { readonly n: number }[];
}

async function callTool(
  name: string,
  sent: object,
): Promise<{ readonly rows?: ToolRows; readonly text: string }> {
  const response = await fetch(`${paging.gateway.url}/mcp`, {
    method: 'POST',
    headers: {
      'X-API-KEY': KEYS.reader,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: sent } }),
  });
  const { result } = (await response.json()) as {
    readonly result: {
      readonly structuredContent?: ToolRows;
      readonly content: readonly { readonly text: string }[];
    };
  };
  const { structuredContent: rows, content } = result;
  return { ...(rows && { rows }), text: content.map(({ text }) => text).join('\n') };
}

describe('a tool of an endpoint with pages', () => {
  it('returns page after page of as many rows as the agent wants', async () => {
    const seen: number[] = [];
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const { rows } = await callTool('rows', {
        n: 25,
        max_rows: 4,
        ...(cursor !== undefined && { cursor }),
      });
      seen.push(...(rows?.rows ?? []).map(({ n }) => n));
      sizes.push(rows?.rowsReturned ?? 0);
      cursor = rows?.next_cursor;
      expect(rows?.truncated).toBe(cursor !== undefined);
    } while (cursor !== undefined);
    expect([new Set(seen).size, sizes]).toEqual([25, [4, 4, 4, 4, 4, 4, 1]]);
  });

  it('says how to go on, with the rows that all callers share where the agent does not choose', async () => {
    const { rows } = await callTool('rows', { n: 25 });
    expect(rows).toMatchObject({
      rowsReturned: 10,
      rowsFound: 10,
      notes: ['More rows follow. Send next_cursor as cursor.'],
    });
    expect(rows?.next_cursor).toMatch(/^[\w-]+$/);
  });

  it.each([['abc'], [5], [{}]])('rejects the cursor %j', async (cursor) => {
    expect((await callTool('rows', { n: 25, cursor })).text).toContain('INVALID_CURSOR');
  });

  it('has no argument for a cursor where there are no pages', async () => {
    expect((await callTool('whole', { n: 25, cursor: 'a' })).text).toContain(
      'cursor is no argument of this tool',
    );
  });
});
