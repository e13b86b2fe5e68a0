import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import type { Revision } from './mcp-client.js';
import { REFERENCE_WITHOUT_ENV } from './reference-project.js';
import { QUERYGATE } from './run-cli.js';

/** A client of the SDK whose server is a process of `querygate mcp`. */
export interface BridgedClient {
  readonly client: Client;
  /** Closes the client, which ends the bridge. Resolves with what the bridge wrote to standard error. */
  readonly close: () => Promise<string>;
}

/** Starts `querygate mcp ARGS` as a desktop client does. */
export async function connectBridge(
  revision: Revision,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<BridgedClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [QUERYGATE, 'mcp', ...args],
    env: { PROJECT_DIR: REFERENCE_WITHOUT_ENV, ...environment },
    stderr: 'pipe',
    maxBufferSize: 100e6,
  });
  const stderr = text(transport.stderr as Readable);
  const client = new Client(
    { name: 'test', version: '1' },
    revision === '2025-11-25' ? {} : { versionNegotiation: { mode: { pin: revision } } },
  );
  await client.connect(transport);
  return {
    client,
    close: async () => {
      await client.close();
      return stderr;
    },
  };
}
