import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { defineEndpoint } from '../../src/endpoint/endpoint.js';
import { addressSet } from '../../src/gateway/auth/address-set.js';
import { hasBacklog } from '../../src/gateway/http/transport/backlog.js';
import { connectionsOf, responding } from '../../src/gateway/http/transport/connections.js';
import { resultOf } from './fake-run-query.js';
import { numbersOf, OddConnections, type Step } from './odd-connections.js';
import { RawGateway } from './raw-gateway.js';
import { SAMPLE, sampleEndpoint } from './sample-endpoint.js';

/** What a server did with the bytes of a connection: without ids and times that are its own. */
interface Done {
  readonly received: string;
  readonly logged: readonly string[];
}

export interface RawHitsFuzzResult {
  readonly connections: number;
  /** Requests to which the server with raw hits responded without Node's HTTP server. */
  readonly raw: number;
  /** The steps of the first connection with a difference, and what came of them. */
  readonly difference?: { readonly steps: readonly string[]; readonly node: Done; readonly raw: Done };
}

const ENDPOINTS = [
  defineEndpoint({ ...SAMPLE, name: 'cached', deprecated: { since: '2026-01-01T00:00:00Z' } }),
  sampleEndpoint({ id: '22222222-2222-4333-8444-555555555555', name: 'uncached', caching: 'disabled' }),
];
const PRINCIPALS = {
  qg_plain: { name: 'plain', mayBypassCache: false },
  qg_limited: { name: 'limited', mayBypassCache: false, limits: { requests: { quota: 20, window: 60 } } },
  qg_addressed: { name: 'addressed', mayBypassCache: false, addresses: addressSet(['192.0.2.0/24']) },
  qg_bypassing: { name: 'bypassing', mayBypassCache: true },
};
/** So few that nothing is compressed, which takes a time that differs. */
const ROWS = Array.from({ length: 40 }, (_, row) => ({ row }));
const OF_TIME = new Set(['totalMs', 'gatewayMs', 'clickhouseMs', 'waitingMs', 'stack']);
const UUID = /[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/g;
/** Turns of the event loop for a request that may never be complete. */
const TURNS = 6;

/** A gateway that is sent random bytes. */
class FuzzedGateway extends RawGateway {
  constructor(rawHits: true | 'never') {
    super({ endpoints: ENDPOINTS, principals: PRINCIPALS, rawHits });
    this.runQuery.respondWith(async () => {
      for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
      return resultOf(ROWS);
    });
  }

  async run(steps: readonly Step[]): Promise<Done> {
    const accepted = once(this.server, 'connection') as Promise<[Socket]>;
    const client = connect({ port: this.port, host: '127.0.0.1', allowHalfOpen: true }).setNoDelay();
    client.on('error', () => undefined);
    let received = '';
    client.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
    const closed = new Promise((resolve) => client.once('close', resolve));
    const [socket] = await accepted;
    let sent = 0;
    for (const { bytes, settles } of steps) {
      if (!client.writable || isClosed(socket)) break;
      client.write(bytes);
      sent += bytes.length;
      await readBy(socket, sent);
      if (settles) await settle(socket);
    }
    await settle(socket);
    client.end();
    await closed;
    while (connectionsOf(this.server).open.size > 0) await nextTurn();
    this.report();
    const logged = this.logger.lines.splice(0).map(({ level, message, fields }) => {
      const others = Object.entries(fields).filter(([name]) => !OF_TIME.has(name));
      return own(`${level} ${message} ${JSON.stringify(Object.fromEntries(others))}`);
    });
    return { received: own(received), logged: logged.sort() };
  }
}

/** A text without what two servers never have in common. */
function own(text: string): string {
  return (
    text
      .replaceAll(UUID, 'uuid')
      // Depends on which turn of the event loop the disconnection comes in.
      .replace(',"code":"CALLER_GONE"', '')
      .replaceAll(/^Date: .*$/gm, 'Date')
      .replaceAll(/^(Server-Timing: ).*$/gm, (_line, name: string) => name)
  );
}

const isClosed = (socket: Socket): boolean => socket.destroyed || !socket.readable || !socket.writable;

async function readBy(socket: Socket, bytes: number): Promise<void> {
  while (socket.bytesRead < bytes && !isClosed(socket)) await nextTurn();
  await nextTurn();
}

/** Waits until a connection has nothing to do, or only waits for more bytes. */
async function settle(socket: Socket): Promise<void> {
  for (let turn = 0; !isClosed(socket); turn += 1) {
    const response = responding(socket);
    if (!response && !hasBacklog(socket) && turn > 2) return;
    if (response && !response.req.complete && turn > TURNS) return;
    await nextTurn();
  }
}

/** Sends the same random bytes to a server with raw hits and to one without, and compares what comes back and what is logged. */
export async function fuzzRawHits(seed: number, forSeconds: number): Promise<RawHitsFuzzResult> {
  const [node, raw] = [new FuzzedGateway('never'), new FuzzedGateway(true)];
  await Promise.all([node.listen(), raw.listen()]);
  const made = new OddConnections(numbersOf(seed));
  const end = performance.now() + forSeconds * 1000;
  let connections = 0;
  try {
    while (performance.now() < end) {
      const sent = made.make();
      const seconds = made.below(40) / 10;
      for (const { clock } of [node, raw]) clock.advance(seconds);
      const done = { node: await node.run(sent), raw: await raw.run(sent) };
      connections += 1;
      if (JSON.stringify(done.node) !== JSON.stringify(done.raw))
        return {
          ...{ connections, raw: raw.raw },
          difference: {
            steps: sent.map(
              ({ bytes, settles }) => `${settles ? 'settles' : ''} ${bytes.toString('latin1')}`,
            ),
            ...done,
          },
        };
    }
    return { connections, raw: raw.raw };
  } finally {
    await Promise.all([node.close(), raw.close()]);
  }
}
