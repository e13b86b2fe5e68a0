import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that adds a key to each request, because the conformance suite sends none. */
export interface KeyAdder {
  readonly url: string;
  /** Passes on all requests to a gateway from now on, with their Host and Origin unchanged. */
  readonly forwardTo: (gatewayUrl: string, key: string) => void;
  readonly close: () => Promise<void>;
}

/** Starts the server, whose URL a gateway can then list in CORS_ORIGINS. */
export async function startKeyAdder(): Promise<KeyAdder> {
  let target = { port: '', key: '' };
  const server = createServer((incoming, response) => {
    const { method, url: path, headers } = incoming;
    const { port, key } = target;
    const sent = { host: '127.0.0.1', port, method, path, headers: { ...headers, 'x-api-key': key } };
    const outgoing = request(sent, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    outgoing.once('error', () => response.destroy());
    response.once('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo: (gatewayUrl, key) => {
      target = { port: new URL(gatewayUrl).port, key };
    },
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
