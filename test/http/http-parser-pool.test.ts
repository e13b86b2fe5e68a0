import type { Socket } from 'node:net';

import { connectionsOf } from '../../src/gateway/http/transport/connections.js';
import { createHttpServer } from '../../src/gateway/http/transport/server.js';
import { pollUntil } from '../support/poll-until.js';
import { send, whileListening } from '../support/raw-exchange.js';
import { createTestGateway } from '../support/test-gateway.js';

const { listener, logger } = await createTestGateway();
const PEERS = 200;

/** A request with incomplete headers; the bytes that its parser has read stay in the parser. */
const halfSent = (port: number): Socket =>
  send(port, `GET /?${'x'.repeat(10_000)} HTTP/1.1\r\nHost: gateway\r\n`).on('error', () => undefined);

/** Parsers of closed connections in Node's pool. */
function pooledParsers(): number {
  const common: { readonly parsers?: { readonly list: readonly unknown[] } } | undefined =
    process.getBuiltinModule('_http_common');
  return common?.parsers?.list.length ?? NaN;
}

describe('connections that close before their request is complete', () => {
  it('leave at most 64 parsers in the pool, with the bytes that these have read', async () => {
    const server = createHttpServer(listener, logger);
    await whileListening(server, async (port) => {
      const peers = Array.from({ length: PEERS }, () => halfSent(port));
      const { open } = connectionsOf(server);
      const haveSent = (): boolean =>
        open.size === PEERS && [...open].every(({ bytesRead }) => bytesRead > 0);
      await pollUntil('all requests are sent', () => haveSent() || undefined);
      for (const socket of peers) socket.destroy();
      await pollUntil('all are closed', () => open.size === 0 || undefined);
    });
    expect(pooledParsers()).toBeLessThanOrEqual(64);
  });
});
