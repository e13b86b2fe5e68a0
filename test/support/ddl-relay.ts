import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';

/** An HTTP server that clients take for a ClickHouse server. */
export interface DdlRelay {
  readonly url: string;
  /** The `ON CLUSTER` statements as received, in order. */
  readonly statements: readonly string[];
  readonly close: () => Promise<void>;
}

/**
 * Emulates `ON CLUSTER`, which the embedded engine lacks: sends such a statement to every server, one after the other,
 * without the clause and with engines that are not replicated. Sends everything else to the first server.
 */
export async function openDdlRelay(servers: readonly ClickHouseConnection[]): Promise<DdlRelay> {
  const statements: string[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const respond = async (request: IncomingMessage): Promise<Reply> => {
    const body = await textOf(request);
    const [first] = servers;
    if (!first) throw new Error('there is no server to pass statements on to');
    if (!ON_CLUSTER.test(body)) return forward(request, first, body);
    statements.push(body);
    const inTurn = last.then(async () => {
      const replies: Reply[] = [];
      for (const server of servers) replies.push(await forward(request, server, forOneServer(body)));
      return replies.find(({ status }) => status >= 400) ?? replies[0] ?? failed('no reply');
    });
    last = inTurn.catch(() => undefined);
    return inTurn;
  };
  const relay = createServer((request, response) => {
    void respond(request)
      .catch(failed)
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body));
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port } = relay.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    statements,
    close: async () => {
      relay.closeAllConnections();
      relay.close();
      await once(relay, 'close');
    },
  };
}

const ON_CLUSTER = / ON CLUSTER '\w+'/;
/** Matches the arguments of a replicated engine, and the comma before the engine's own arguments. */
const REPLICATED = /\bReplicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?/g;

/** Rewrites the statement so that the embedded engine can run it. */
function forOneServer(statement: string): string {
  return statement.replace(ON_CLUSTER, '').replace(REPLICATED, '$1(');
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function failed(error: unknown): Reply {
  return { status: 502, headers: {}, body: String(error) };
}

async function forward(
  { url = '/', headers }: IncomingMessage,
  server: ClickHouseConnection,
  body: string,
): Promise<Reply> {
  const authorization = `Basic ${Buffer.from(`${server.username}:${server.password}`).toString('base64')}`;
  const passedOn = Object.entries(headers).filter(([name]) => /^(x-|content-type|user-agent)/.test(name));
  const response = await fetch(new URL(url, server.url), {
    method: 'POST',
    headers: { ...(Object.fromEntries(passedOn) as Record<string, string>), authorization },
    body,
  });
  const forwarded = [...response.headers].filter(([name]) => /^(x-clickhouse|content-type)/.test(name));
  return { status: response.status, headers: Object.fromEntries(forwarded), body: await response.text() };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
