import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A proxy in front of ClickHouse that changes or holds what passes, for a gateway that lacks one of its guards. */
export class RewritingProxy {
  private holding:
    { readonly pattern: RegExp; readonly released: Promise<void>; readonly seen: () => void } | undefined;
  private readonly server = createServer((request, response) => void this.pass(request, response));

  private constructor(
    private readonly target: URL,
    private readonly rewrite: (sql: string) => string,
  ) {}

  static async start(target: string, rewrite: (sql: string) => string): Promise<RewritingProxy> {
    const proxy = new RewritingProxy(new URL(target), rewrite);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Holds the next query with this text until it is released. */
  holdNext(pattern: RegExp): { readonly isHeld: Promise<void>; readonly release: () => void } {
    let release = (): void => undefined;
    let seen = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const isHeld = new Promise<void>((resolve) => (seen = resolve));
    this.holding = { pattern, released, seen };
    return { isHeld, release };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.from(this.rewrite((await buffer(request)).toString()));
    const { holding } = this;
    if (holding?.pattern.test(body.toString())) {
      this.holding = undefined;
      holding.seen();
      await holding.released;
    }
    const { hostname, port } = this.target;
    const headers = { ...request.headers, 'content-length': String(body.length) };
    delete headers['transfer-encoding'];
    const onward = forward(
      {
        ...{ hostname, port, method: request.method, path: request.url },
        headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    onward.end(body);
  }
}
