import { AccessGateway, keyNamed } from '../../support/access-gateway.js';
import { textOf } from '../../support/documentation.js';
import { connectMcp, REVISIONS, type McpClientOptions } from '../../support/mcp-client.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';
import { openForAll } from '../../support/opened.js';

/** A server in the configuration of an MCP client. */
interface ServerEntry {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

const PAGE = 'docs/how-to/agents.md';
const KEY = keyNamed('agent');

const gateway = openForAll(() => AccessGateway.open({ endpoints: [sampleEndpoint()], keys: { agent: {} } }));

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

/** Where a client connects; `mcp-remote` has that in its arguments. */
function connectionOf({ url, headers = {}, args = [] }: ServerEntry): Omit<McpClientOptions, 'revision'> {
  if (url !== undefined) return { url, headers };
  const [, , remote = '', , header = ''] = args;
  const [name = '', value = ''] = header.split(':');
  return { url: remote, headers: { [name]: value } };
}

it('has three configurations, one of which starts mcp-remote', async () => {
  const found = await entries();
  expect(found.map((entry) => connectionOf(entry).url)).toEqual(Array(3).fill(`${gateway.url()}/mcp`));
  expect(found[2]?.args?.slice(0, 2)).toEqual(['-y', 'mcp-remote']);
});

it.each(REVISIONS)('each lists and calls the tools, in the revision %s', async (revision) => {
  for (const entry of await entries()) {
    const client = await connectMcp({ ...connectionOf(entry), revision });
    const { tools } = await client.listTools();
    const { structuredContent } = await client.callTool({ name: 'sample', arguments: { city: 'Rome' } });
    await client.close();
    expect([tools.map(({ name }) => name), structuredContent]).toMatchObject([
      ['sample'],
      { rowsReturned: 0 },
    ]);
  }
});
