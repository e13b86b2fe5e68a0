import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export type ProxyMode = 'passing' | 'rejecting' | 'cutting';

/** Bytes of a response that come through where responses are cut: some of its head, none of its end. */
const CUT_AFTER_BYTES = 150;

/** Between a gateway and its ClickHouse; it breaks as networks break. */
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

  /** Refusing ends what is open and takes nothing new; cutting ends each connection in the middle of a response. */
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
      this.join(client);
    });
    this.server = server;
    await once(server.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (server.address() as AddressInfo).port;
  }

  private join(client: Socket): void {
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
