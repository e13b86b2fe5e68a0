import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A server in place of Redis that sends bytes of its own, forwards to a Redis, or silently drops commands. */
export interface RedisStandIn {
  readonly url: string;
  /** Drops everything sent on the open connections without an error; new connections work. */
  readonly stallConnections: () => void;
  /** Cuts the open connections, and each new one until the function that it returns is called. */
  readonly refuse: () => () => void;
  readonly close: () => Promise<void>;
}

/** Responds to everything with the same bytes. */
export function respondWithGarbage(garbage: string | Buffer): Promise<RedisStandIn> {
  return listen((socket) => {
    socket.on('data', () => socket.write(garbage));
    return () => undefined;
  });
}

/** Forwards everything to a Redis. @param portOf of new connections, where a function */
export function forwardTo(portOf: number | (() => number)): Promise<RedisStandIn> {
  return listen((socket) => {
    const upstream = connect(typeof portOf === 'number' ? portOf : portOf(), '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    for (const [end, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      end.on('error', () => undefined);
      end.on('close', () => other.destroy());
    }
    return () => {
      socket.unpipe(upstream);
      upstream.unpipe(socket);
      socket.resume();
    };
  });
}

async function listen(accept: (socket: Socket) => () => void): Promise<RedisStandIn> {
  const sockets = new Set<Socket>();
  const stalls: (() => void)[] = [];
  let isRefusing = false;
  const server = createServer((socket) => {
    if (isRefusing) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    stalls.push(accept(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `redis://127.0.0.1:${port}`,
    stallConnections: () => {
      for (const stall of stalls.splice(0)) stall();
    },
    refuse: () => {
      isRefusing = true;
      for (const socket of sockets) socket.destroy();
      return () => {
        isRefusing = false;
      };
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
