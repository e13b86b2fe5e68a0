import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { UnauthenticatedPeers } from './unauthenticated-peers.js';

/** What a server has open. Node tells neither which connections there are nor which are being answered. */
export interface Connections {
  readonly open: ReadonlySet<Socket>;
  readonly responding: ReadonlySet<ServerResponse>;
  /** Connections that were closed since the start because there were too many, or because their requests were too large together. */
  readonly closed: Readonly<Record<'connections' | 'bytes', number>>;
}

/** What a server's connections may be and hold together. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Of unfinished requests that nobody has authenticated. */
  readonly maxUnauthenticatedBytes: number;
}

const connections = new WeakMap<Server, Connections>();

/**
 * From now on notes a server's connections, for {@link connectionsOf}, and bounds them. One too many takes the place of
 * the oldest on which no request was authenticated; where all were, the new one is closed.
 */
export function noteConnections(
  server: Server,
  { maxConnections, maxUnauthenticatedBytes }: ConnectionLimits,
): void {
  const open = new Set<Socket>();
  const answering = new Set<ServerResponse>();
  const closed = { connections: 0, bytes: 0 };
  const peers = new UnauthenticatedPeers(maxUnauthenticatedBytes, () => (closed.bytes += 1));
  connections.set(server, { open, responding: answering, closed });
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    peers.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      peers.remove(socket);
    });
    if (open.size <= maxConnections) return;
    closed.connections += 1;
    const { oldest = socket } = peers;
    peers.remove(oldest);
    oldest.destroy();
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const bytes = peers.has(socket) ? bytesOf(request) : 0;
    answering.add(response);
    response.once('close', () => {
      answering.delete(response);
      peers.noteResponse(socket, bytes);
    });
  });
}

/** The connections of a server whose connections are noted; of another, none. */
export function connectionsOf(server: Server): Connections {
  return (
    connections.get(server) ?? {
      open: new Set(),
      responding: new Set(),
      closed: { connections: 0, bytes: 0 },
    }
  );
}

/** Bytes of a request as clients write it (RFC 9112): the line of the target, a line a header, an empty one, and the body. */
function bytesOf({ method = '', url = '', headers, rawHeaders }: IncomingMessage): number {
  const targetLine = method.length + url.length + '  HTTP/1.1\r\n'.length;
  const texts = rawHeaders.reduce((sum, { length }) => sum + length, 0);
  const separators = (rawHeaders.length / 2) * ': \r\n'.length + '\r\n'.length;
  return targetLine + texts + separators + Number(headers['content-length'] ?? 0);
}
