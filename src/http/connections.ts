import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What a server has open. Node tells neither which connections there are nor which are being answered. */
export interface Connections {
  readonly open: ReadonlySet<Socket>;
  readonly answering: ReadonlySet<ServerResponse>;
}

const connections = new WeakMap<Server, Connections>();

/** From now on notes a server's connections, for {@link connectionsOf}. */
export function noteConnections(server: Server): void {
  const open = new Set<Socket>();
  const answering = new Set<ServerResponse>();
  connections.set(server, { open, answering });
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
    answering.add(response);
    response.once('close', () => answering.delete(response));
  });
}

/** The connections of a server whose connections are noted; of another, none. */
export function connectionsOf(server: Server): Connections {
  return connections.get(server) ?? { open: new Set(), answering: new Set() };
}
