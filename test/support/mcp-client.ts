import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';

/** The revisions of the protocol that the gateway promises: the current one and the one before. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;

export type Revision = (typeof REVISIONS)[number];

/** How a test's client reaches a gateway. */
export interface McpClientOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly revision?: Revision;
}

/** Connects the SDK's own client by streamable HTTP. */
export async function connectMcp({
  url,
  headers = {},
  revision = '2026-07-28',
}: McpClientOptions): Promise<Client> {
  const client = new Client(
    { name: 'querygate-test', version: '1.0.0' },
    { versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : { pin: revision } } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
  });
  await client.connect(transport);
  return client;
}

/** A result of a tool, as the gateway's output schemas describe it. */
export interface ToolRows {
  readonly rowsReturned: number;
  readonly rowsFound: number;
  readonly truncated: boolean;
  readonly notes: readonly string[];
  readonly createdAt: string;
  readonly ageSeconds: number;
  readonly freshSeconds: number;
  readonly cost?: Readonly<Record<string, number>>;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** The structured content of a result that is no error; the text says the same. */
export function rowsOfTool(result: CallToolResult): ToolRows {
  expect(result.isError ?? false).toBe(false);
  expect(JSON.parse(textOfTool(result))).toEqual(result.structuredContent);
  return result.structuredContent as ToolRows;
}

/** The text of a result. */
export function textOfTool({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
