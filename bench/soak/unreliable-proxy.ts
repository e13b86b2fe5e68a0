import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export type ProxyMode = 'passing' | 'refusing' | 'cutting';

/** Bytes of a response that come through where responses are cut: some of its head, none of its end. */
const CUT_AFTER_BYTES = 150;

/** Between a gateway and its ClickHouse; it breaks as networks break. */
export class UnreliableProxy {
  private mode: ProxyMode = 'passing';
  private server: Server | undefined;
  private port = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly farPort: number) {}

  static async open(farPort: number): Promise<UnreliableProxy> {
    const proxy = new UnreliableProxy(farPort);
    await proxy.listen();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Refusing ends what is open and takes nothing new; cutting ends each connection in the middle of a response. */
  async become(mode: ProxyMode): Promise<void> {
    this.mode = mode;
    if (mode === 'refusing') await this.close();
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
    const server = createServer((near) => {
      this.join(near);
    });
    this.server = server;
    await once(server.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (server.address() as AddressInfo).port;
  }

  private join(near: Socket): void {
    const far = connect(this.farPort, '127.0.0.1');
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        this.sockets.delete(end);
        other.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (chunk: Buffer) => {
      if (this.mode === 'cutting') near.end(chunk.subarray(0, CUT_AFTER_BYTES), () => near.destroy());
      else near.write(chunk);
    });
  }
}
