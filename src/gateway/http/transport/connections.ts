import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The open connections and the responses of a server, which Node does not list. */
export interface Connections {
  readonly open: ReadonlySet<Socket>;
  /** Adds a listener that is called for each request before the response. */
  readonly onRequest: (listener: NoteRequest) => void;
  /** Connections closed since the start because there were too many. */
  readonly closed: number;
}

const connections = new WeakMap<Server, Connections>();

/** The response to the latest request of a connection. A property of the socket, because a map would cost more for each request. */
const LATEST = Symbol('latest response');
type TrackedSocket = Duplex & { [LATEST]?: ServerResponse };

/** The unauthenticated connections of a server, by each of them, oldest first. */
const unauthenticated = new WeakMap<Duplex, Set<Duplex>>();

/** Reports a request, before it is responded to. */
export type NoteRequest = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Tracks a server's connections for {@link connectionsOf}, and limits their number. Over the limit, a new connection replaces the
 * oldest unauthenticated one. Where all others are authenticated, the new connection is closed.
 *
 * @returns a function to be called for each request.
 */
export function trackConnections(server: Server, maxConnections: number): NoteRequest {
  const open = new Set<Socket>();
  const peers = new Set<Duplex>();
  const tracked = { open, onRequest: (listener: NoteRequest) => void listeners.push(listener), closed: 0 };
  const listeners: NoteRequest[] = [];
  connections.set(server, tracked);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    peers.add(socket);
    unauthenticated.set(socket, peers);
    socket.once('close', () => {
      open.delete(socket);
      peers.delete(socket);
    });
    if (open.size <= maxConnections) return;
    tracked.closed += 1;
    const [oldest = socket] = peers;
    peers.delete(oldest);
    oldest.destroy();
  });
  return (request, response) => {
    (request.socket as TrackedSocket)[LATEST] = response;
    for (const listener of listeners) listener(request, response);
  };
}

/** Notes that a request on a connection was authenticated, so that no other connection replaces it. */
export function noteAuthenticated(socket: Duplex): void {
  unauthenticated.get(socket)?.delete(socket);
}

/** Whether a request on a tracked connection was authenticated. */
export function isAuthenticated(socket: Duplex): boolean {
  return unauthenticated.get(socket)?.has(socket) === false;
}

/** The response that a connection is waiting for; undefined where the latest one is complete. */
export function responding(socket: Duplex): ServerResponse | undefined {
  const response = latestResponse(socket);
  return response?.closed === true ? undefined : response;
}

/** The response to the latest request of a connection that Node's parser has read and the server has handled. */
export function latestResponse(socket: Duplex): ServerResponse | undefined {
  return (socket as TrackedSocket)[LATEST];
}

/** The connections of a server; empty where {@link trackConnections} was not called for it. */
export function connectionsOf(server: Server): Connections {
  return connections.get(server) ?? { open: new Set(), onRequest: () => undefined, closed: 0 };
}
