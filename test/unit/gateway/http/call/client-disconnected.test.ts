import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

import { clientDisconnected } from '../../../../../src/gateway/http/call/call-endpoint.js';

it('the signal of a client that disconnects does not abort after a complete response', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.end('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n').on('error', () => undefined);
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  try {
    const { signal } = clientDisconnected(response);
    response.end('done');
    await once(response, 'close');
    expect([signal.aborted, clientDisconnected(response).signal.aborted]).toEqual([false, false]);
  } finally {
    client.destroy();
    server.close();
  }
});
