import { AccessGateway, keyNamed } from '../../support/access-gateway.js';
import { textOf } from '../../support/documentation.js';
import { connectBridge } from '../../support/mcp-bridge.js';
import { connectMcp, REVISIONS, type Revision } from '../../support/mcp-client.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';

/** A server in the configuration of an MCP client. */
interface ServerEntry {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const PAGE = 'docs/how-to/agents.md';
const KEY = keyNamed('agent');

let gateway: AccessGateway;
beforeAll(async () => {
  gateway = await AccessGateway.open({ endpoints: [sampleEndpoint()], keys: { agent: {} } });
});
afterAll(() => gateway.close());

/** The configurations on the page, each with its one server, for the gateway of the test. */
async function entries(): Promise<readonly ServerEntry[]> {
  const blocks = [...(await textOf(PAGE)).matchAll(/^```json\n([\s\S]*?)^```/gm)].map(
    ([, text = '']) => text,
  );
  return blocks
    .filter((text) => /"(?:mcpServers|servers)"/.test(text))
    .map((text) => text.replaceAll('http://127.0.0.1:8080', gateway.url()))
    .map((text) =>
      text.replaceAll(/\$\{(?:QUERYGATE_KEY|input:key)\}|"KEY"/g, (key) =>
        key === '"KEY"' ? `"${KEY}"` : KEY,
      ),
    )
    .map((text) => JSON.parse(text) as Readonly<Record<string, Readonly<Record<string, ServerEntry>>>>)
    .flatMap(({ mcpServers, servers = mcpServers }) => Object.values(servers ?? {}));
}

/** Names of the tools that a client with a configuration finds, and what one of them returns. */
async function use({ url, headers, args = [], env = {} }: ServerEntry, revision: Revision): Promise<unknown> {
  const bridged = url === undefined ? await connectBridge(revision, args.slice(1), env) : undefined;
  const client =
    bridged?.client ?? (await connectMcp({ url: String(url), ...(headers && { headers }), revision }));
  try {
    const { tools } = await client.listTools();
    const { structuredContent } = await client.callTool({ name: 'sample', arguments: { city: 'Rome' } });
    return [tools.map(({ name }) => name), structuredContent];
  } finally {
    await (bridged ?? client).close();
  }
}

it('has three configurations, one of which starts the bridge', async () => {
  expect((await entries()).map(({ url, command }) => url ?? command)).toEqual([
    `${gateway.url()}/mcp`,
    `${gateway.url()}/mcp`,
    'querygate',
  ]);
});

it.each(REVISIONS)('each lists and calls the tools, in the revision %s', async (revision) => {
  for (const entry of await entries()) {
    expect(entry.args?.[0] ?? 'mcp').toBe('mcp');
    expect(await use(entry, revision)).toMatchObject([['sample'], { rowsReturned: 0 }]);
  }
});
