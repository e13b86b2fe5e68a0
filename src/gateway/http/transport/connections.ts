import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { UnauthenticatedPeers } from './unauthenticated-peers.js';

/** The open connections and responses of a server, which Node does not list. */
export interface Connections {
  readonly open: ReadonlySet<Socket>;
  /** Calls the listener for each request, before it is responded to. */
  readonly onRequest: (listener: NoteRequest) => void;
  /** Connections closed since the start, by reason: too many connections, or too many bytes of unfinished requests. */
  readonly closed: Readonly<Record<'connections' | 'bytes', number>>;
}

/** Limits on all connections of a server together. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Bytes of unfinished requests on connections that have not authenticated. */
  readonly maxUnauthenticatedBytes: number;
}

const connections = new WeakMap<Server, Connections>();

/** The response to the latest request of a connection: a property, because a map would cost more for each request. */
const LATEST = Symbol('latest response');
type TrackedSocket = Duplex & { [LATEST]?: ServerResponse };

/** Reports a request, before it is responded to. */
export type NoteRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** What {@link trackConnections} returns. */
export interface Tracked {
  /** To be called for each request. */
  readonly noteRequest: NoteRequest;
  /** Whether a request on the connection was authenticated. */
  readonly isAuthenticated: (socket: Socket) => boolean;
}

/**
 * Tracks a server's connections for {@link connectionsOf} and limits them. Over the limit, a new connection replaces the
 * oldest unauthenticated one; where all others are authenticated, the new connection is closed.
 */
export function trackConnections(
  server: Server,
  { maxConnections, maxUnauthenticatedBytes }: ConnectionLimits,
): Tracked {
  const open = new Set<Socket>();
  const closed = { connections: 0, bytes: 0 };
  const peers = new UnauthenticatedPeers(maxUnauthenticatedBytes, () => (closed.bytes += 1));
  const listeners: NoteRequest[] = [];
  const onRequest = (listener: NoteRequest): void => void listeners.push(listener);
  connections.set(server, { open, onRequest, closed });
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
  const noteRequest: NoteRequest = (request, response) => {
    const { socket } = request;
    (socket as TrackedSocket)[LATEST] = response;
    for (const listener of listeners) listener(request, response);
    if (!peers.has(socket)) return;
    const bytes = bytesOf(request);
    // Only for a peer without a key, because a listener of each response would cost a tenth of a hit.
    response.once('close', () => {
      peers.noteResponse(socket, bytes);
    });
  };
  return { noteRequest, isAuthenticated: (socket) => !peers.has(socket) };
}

/** The response to the request of a connection that is worked on, if it is not complete. */
export function responding(socket: Duplex): ServerResponse | undefined {
  const response = (socket as TrackedSocket)[LATEST];
  return response?.closed === true ? undefined : response;
}

/** The connections of a server; empty where {@link trackConnections} was not called for it. */
export function connectionsOf(server: Server): Connections {
  return (
    connections.get(server) ?? {
      open: new Set(),
      onRequest: () => undefined,
      closed: { connections: 0, bytes: 0 },
    }
  );
}

/** Bytes of a request on the wire (RFC 9112): request line, a line for each header, an empty line, and a body with Content-Length. */
function bytesOf({ method = '', url = '', headers, rawHeaders }: IncomingMessage): number {
  const targetLine = method.length + url.length + '  HTTP/1.1\r\n'.length;
  const texts = rawHeaders.reduce((sum, { length }) => sum + length, 0);
  const separators = (rawHeaders.length / 2) * ': \r\n'.length + '\r\n'.length;
  return targetLine + texts + separators + Number(headers['content-length'] ?? 0);
}
