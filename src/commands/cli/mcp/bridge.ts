import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';

import { readVersion } from '../../../package-files.js';
import { printWarning } from '../run-command.js';
import { connectGateway, type BridgedGateway, type SendToGateway } from './gateway-client.js';

/** The methods that the gateway has; all others are unknown, or the SDK's own. */
const FORWARDED: ReadonlySet<string> = new Set([
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** How long an MCP client waits at its start for the gateway to introduce itself. */
const INTRODUCTION_TIMEOUT_MS = 5_000;

/** Serves MCP on standard input and output, in both revisions, from a gateway. Resolves when standard input or the signal ends it. */
export async function bridge(bridged: BridgedGateway, ended: AbortSignal): Promise<void> {
  const send = await connectGateway(bridged);
  const transport = new StdioServerTransport();
  const serving = serveStdio(() => createServer(send, ended), {
    transport,
    onerror: ({ name, message }) => {
      // The SDK's own message lists every alternative of a schema.
      printWarning(name.endsWith('ZodError') ? 'ignored a line that is not a JSON-RPC message' : message);
    },
  });
  await new Promise<void>((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    ended.addEventListener('abort', () => void serving.close(), { once: true });
  });
}

/** A server that forwards each request as it is, and introduces itself as the gateway does. */
async function createServer(send: SendToGateway, ended: AbortSignal): Promise<McpServer> {
  const { serverInfo, instructions } = await introduction(send, ended);
  const mcpServer = new McpServer(serverInfo, instructions === undefined ? {} : { instructions });
  const { server } = mcpServer;
  server.registerCapabilities({ tools: {}, resources: {} });
  // Handlers of single methods would validate what they pass on.
  server.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    if (!FORWARDED.has(method)) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    try {
      return await send({ method, params }, mcpReq.signal);
    } catch (error) {
      if (!mcpReq.signal.aborted) printWarning(`${method}: ${(error as Error).message}`);
      throw error;
    }
  };
  return mcpServer;
}

interface Introduction {
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly instructions?: string | undefined;
}

/** The gateway's name, version and instructions; those of this command where the gateway does not respond. */
async function introduction(send: SendToGateway, ended: AbortSignal): Promise<Introduction> {
  const own = { name: 'querygate', version: readVersion() };
  const signal = AbortSignal.any([ended, AbortSignal.timeout(INTRODUCTION_TIMEOUT_MS)]);
  try {
    const { _meta, instructions } = await send({ method: 'server/discover' }, signal);
    const serverInfo = _meta?.[SERVER_INFO_META_KEY] as Introduction['serverInfo'] | undefined;
    return {
      serverInfo: serverInfo ?? own,
      instructions: typeof instructions === 'string' ? instructions : undefined,
    };
  } catch (error) {
    const { message } = error as Error;
    if (!ended.aborted) printWarning(signal.aborted ? 'The gateway has not responded yet.' : message);
    return { serverInfo: own };
  }
}
