import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

import { mcpInstallation } from '../../src/package-files.js';
import { installWithout } from '../support/install-without.js';
import { MCP_KEY, startMcpGateway, type McpGateway, type RespondToMcp } from '../support/mcp-gateway.js';
import { REFERENCE_WITHOUT_ENV } from '../support/reference-project.js';
import { QUERYGATE, runAlone } from '../support/run-cli.js';
import { startProcess } from '../support/start-process.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

const REQUEST = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'orders' } };

/** A bridge whose standard streams are the test's. */
interface Bridge {
  readonly write: (line: string) => void;
  readonly endInput: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly nextMessage: () => Promise<unknown>;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

function startBridge(url: string): Bridge {
  const child = spawn(process.execPath, [QUERYGATE, 'mcp'], {
    env: {
      PATH: process.env['PATH'],
      PROJECT_DIR: REFERENCE_WITHOUT_ENV,
      QUERYGATE_URL: url,
      QUERYGATE_KEY: MCP_KEY,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ended = Promise.all([once(child, 'exit'), text(child.stderr)]);
  return {
    write: (line) => child.stdin.write(`${line}\n`),
    endInput: () => child.stdin.end(),
    kill: (signal) => child.kill(signal),
    // Every line of standard output must be JSON.
    nextMessage: async () => JSON.parse(String((await lines.next()).value)) as unknown,
    ended: ended.then(([[code], stderr]) => ({ code: code as number | null, stderr })),
  };
}

describe('a process of querygate mcp', () => {
  let gateway: McpGateway;
  let respond: RespondToMcp = () => ({ content: [] });

  beforeAll(async () => {
    gateway = await startMcpGateway((request) => respond(request));
  });
  afterAll(() => gateway.close());

  it('ignores malformed lines and writes nothing but messages to standard output', async () => {
    const bridge = startBridge(gateway.url);
    for (const line of ['', '{"jsonrpc":', 'hello', '{"id":1}', '[]', JSON.stringify(REQUEST)])
      bridge.write(line);
    expect(await bridge.nextMessage()).toMatchObject({ id: 7, result: { content: [] } });
    bridge.endInput();
    const { code, stderr } = await bridge.ended;
    expect(code).toBe(0);
    expect(stderr).toBe('warning: ignored a line that is not a JSON-RPC message\n'.repeat(2));
  });

  it.each([
    [
      'its input ends',
      (bridge: Bridge) => {
        bridge.endInput();
      },
    ],
    [
      'SIGINT arrives',
      (bridge: Bridge) => {
        bridge.kill('SIGINT');
      },
    ],
    [
      'SIGTERM arrives',
      (bridge: Bridge) => {
        bridge.kill('SIGTERM');
      },
    ],
  ])('closes its requests and exits with 0 when %s', async (_event, end) => {
    const bridge = startBridge(gateway.url);
    const closed = new Promise<void>((resolve) => {
      respond = async ({ signal }) => {
        const aborted = once(signal, 'abort');
        end(bridge);
        await aborted;
        resolve();
        return { content: [] };
      };
    });
    bridge.write(JSON.stringify(REQUEST));
    await closed;
    expect(await bridge.ended).toEqual({ code: 0, stderr: '' });
  });

  it('exits with 2 where the URL is invalid', async () => {
    expect(await runAlone(['mcp', '--url', 'gateway'])).toMatchObject({ code: 2, stdout: '' });
    const { code, stderr } = await runAlone(['mcp'], { QUERYGATE_KEY: 'a b' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('characters that no key has')]);
  });

  it('exits with 1 and the command that installs the MCP SDK where it is missing', async () => {
    await withTemporaryFolder(async (folder) => {
      const { ended, stderr } = startProcess([await installWithout('@modelcontextprotocol', folder), 'mcp']);
      expect(await ended).toBe(1);
      expect(stderr()).toBe(`error: The MCP SDK is not installed. Run: ${mcpInstallation()}\n`);
    });
  });
});
