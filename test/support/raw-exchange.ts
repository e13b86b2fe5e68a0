import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** An HTTP response as read from the socket. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Runs a test's body while a server listens on a free loopback port. */
export async function whileListening(server: Server, use: (port: number) => Promise<void>): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

/** Connects, sends the bytes unchanged, and does not close its own side of the connection. */
export function send(port: number, bytes: string | Uint8Array): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write(bytes);
  return socket;
}

/** Sends the bytes unchanged, and returns the responses received until the server closes the connection. */
export function exchange(port: number, bytes: string | Uint8Array): Promise<readonly RawResponse[]> {
  return readResponses(send(port, bytes));
}

/** Returns the responses received on a connection until the server closes it. */
export async function readResponses(socket: Socket): Promise<readonly RawResponse[]> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    return parseResponses(Buffer.concat(chunks).toString());
  } finally {
    socket.destroy();
  }
}

/** Parses consecutive responses, each with a Content-Length. */
function parseResponses(text: string): readonly RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const start = end + 4;
    const status = Number(statusLine.split(' ')[1]);
    const length = status === 100 ? 0 : Number(headers['content-length'] ?? rest.length - start);
    responses.push({
      status,
      headers,
      body: rest.slice(start, start + length),
    });
    rest = rest.slice(start + length);
  }
  return responses;
}
