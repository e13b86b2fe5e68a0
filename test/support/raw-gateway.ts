import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { EndpointRegistry } from '../../src/endpoint/registry.js';
import type { Principal } from '../../src/gateway/auth/principal.js';
import { createHttpServer, type ServerLimits } from '../../src/gateway/http/transport/server.js';
import { createListener, type PublicParts } from '../../src/gateway/server/create-listener.js';
import { FakeRunQuery } from './fake-run-query.js';
import { send, type RawResponse } from './raw-exchange.js';
import { RecordingLogger } from './recording-logger.js';
import { TestClock } from './test-clock.js';
import { testCredentials, testLimiter } from './test-credentials.js';
import { plainParts } from './test-gateway.js';

export interface RawGatewayOptions {
  readonly endpoints: readonly Endpoint[];
  /** By key. */
  readonly principals: Readonly<Record<string, Principal>>;
  /** Default: on. `never`: the server asks each time, and leaves the request to Node's HTTP server. */
  readonly rawHits?: boolean | 'never';
  readonly parts?: Partial<PublicParts>;
  readonly limits?: Partial<ServerLimits>;
}

/** A gateway on fakes that counts its raw hits. The caller's address is `X-Forwarded-For`, else 192.0.2.1. */
export class RawGateway {
  /** Requests to which it responded without Node's HTTP server. */
  raw = 0;
  readonly clock = new TestClock();
  readonly logger = new RecordingLogger();
  readonly runQuery = new FakeRunQuery();
  readonly server: Server;
  /** Logs the requests that are finished. */
  readonly report: () => void;

  constructor({ endpoints, principals, rawHits = true, parts = {}, limits = {} }: RawGatewayOptions) {
    const { logger, runQuery, clock } = this;
    const credentials = {
      ...testCredentials(principals, clock.read),
      addressOf: ({ headers }: IncomingMessage) => headers['x-forwarded-for']?.toString() ?? '192.0.2.1',
    };
    const registry = new EndpointRegistry(endpoints);
    const plain = plainParts({ endpoints: registry, credentials, runQuery, logger, clock: clock.read });
    const config = { ...plain.config, rawHits: rawHits !== false, corsOrigins: ['https://app.example'] };
    const limiter = testLimiter(() => clock.milliseconds);
    const listener = createListener({ ...plain, limiter, ...parts, config });
    const { serveRaw } = listener;
    const counted: typeof serveRaw = (...hit) => {
      const isServed = rawHits === true && serveRaw?.(...hit) === true;
      if (isServed) this.raw += 1;
      return isServed;
    };
    this.report = listener.reportRequests;
    const counting = Object.assign(listener, { serveRaw: serveRaw && counted });
    this.server = createHttpServer(counting, logger, limits);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async listen(): Promise<void> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    if (this.server.listening) await once(this.server.close(), 'close');
  }
}

/** A client's connection, on which one request follows the response to another. */
export class RawClient {
  readonly socket: Socket;
  /** The server's side of the connection. */
  readonly accepted: Promise<Socket>;
  private received = '';
  private onChange: () => void = () => undefined;

  constructor({ server, port }: RawGateway) {
    this.accepted = once(server, 'connection').then(([socket]) => socket as Socket);
    this.socket = send(port, '').on('error', () => undefined);
    this.socket.on('data', (chunk: Buffer) => {
      this.received += chunk.toString('latin1');
      this.onChange();
    });
    this.socket.pause();
    for (const end of ['end', 'close'])
      this.socket.on(end, () => {
        this.onChange();
      });
  }

  /** Sends bytes, and returns the next response. */
  async ask(bytes: string): Promise<RawResponse> {
    this.socket.write(bytes);
    return this.next();
  }

  /** Characters of the response that is received, as far as its head tells. */
  private expected = 0;

  /** The next response; nothing is read without this. @throws Error where the connection is closed before. */
  async next(): Promise<RawResponse> {
    for (;;) {
      const response = this.received.length < this.expected ? undefined : this.take();
      if (response) return response;
      const { destroyed, readableEnded } = this.socket;
      if (destroyed || readableEnded) throw new Error('the connection is closed');
      const changed = new Promise<void>((resolve) => (this.onChange = resolve));
      this.socket.resume();
      await changed;
      this.socket.pause();
    }
  }
  private take(): RawResponse | undefined {
    const end = this.received.indexOf('\r\n\r\n') + 4;
    const [statusLine = '', ...lines] = this.received.slice(0, Math.max(0, end - 4)).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    );
    this.expected = Math.max(end, 4) + Number(headers['content-length'] ?? 0);
    if (this.received.length < this.expected || end < 4) return undefined;
    const body = this.received.slice(end, this.expected);
    this.received = this.received.slice(this.expected);
    this.expected = 0;
    return { status: Number(statusLine.split(' ')[1]), headers, body };
  }
}
