import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export type ProxyMode = 'passing' | 'rejecting' | 'cutting';

/** Bytes forwarded of a response that is cut: part of its head, and nothing of its end. */
const CUT_AFTER_BYTES = 150;

/** A proxy between a gateway and its ClickHouse that fails as networks fail. */
export class UnreliableProxy {
  private mode: ProxyMode = 'passing';
  private server: Server | undefined;
  private port = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly upstreamPort: number) {}

  static async open(upstreamPort: number): Promise<UnreliableProxy> {
    const proxy = new UnreliableProxy(upstreamPort);
    await proxy.listen();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** `rejecting` closes all connections and accepts no new ones; `cutting` closes each during a response. */
  async become(mode: ProxyMode): Promise<void> {
    this.mode = mode;
    if (mode === 'rejecting') await this.close();
    else if (!this.server) await this.listen();
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    if (!server) return;
    server.close();
    await once(server, 'close');
  }

  private async listen(): Promise<void> {
    const server = createServer((client) => {
      this.forward(client);
    });
    this.server = server;
    await once(server.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (server.address() as AddressInfo).port;
  }

  private forward(client: Socket): void {
    const upstream = connect(this.upstreamPort, '127.0.0.1');
    for (const [end, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        this.sockets.delete(end);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      if (this.mode === 'cutting') client.end(chunk.subarray(0, CUT_AFTER_BYTES), () => client.destroy());
      else client.write(chunk);
    });
  }
}
