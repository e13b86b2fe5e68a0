import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

import { clientDisconnected } from '../../../../../src/gateway/http/call/call-endpoint.js';

/** Runs a test with a response whose client is connected. */
async function withResponse(
  test: (response: ServerResponse, client: Socket) => Promise<void>,
): Promise<void> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.end('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n').on('error', () => undefined);
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  try {
    await test(response, client);
  } finally {
    client.destroy();
    server.close();
  }
}

describe('the signal of a client that disconnects', () => {
  it('aborts when the client leaves', async () => {
    await withResponse(async (response, client) => {
      const signal = clientDisconnected(response);
      expect(signal.aborted).toBe(false);
      client.destroy();
      await once(response, 'close');
      expect(signal.reason).toMatchObject({ code: 'CALLER_GONE' });
    });
  });

  it('is aborted where the client left before, while its body was read', async () => {
    await withResponse(async (response, client) => {
      client.destroy();
      await once(response, 'close');
      expect(clientDisconnected(response).reason).toMatchObject({ code: 'CALLER_GONE' });
    });
  });

  it('does not abort after a complete response', async () => {
    await withResponse(async (response) => {
      const signal = clientDisconnected(response);
      response.end('done');
      await once(response, 'close');
      expect([signal.aborted, clientDisconnected(response).aborted]).toEqual([false, false]);
    });
  });
});
