import { connect, type Socket } from 'node:net';

import { ATTACKS, type Attack } from './attacks.js';

/** What the process of the attackers is told; it attacks until it is killed. */
export interface AttackOrder {
  readonly attack: string;
  readonly port: number;
  readonly key: string;
}

/** What was sent so far. */
export interface AttackReport {
  readonly requests: number;
}

const REPORT_MS = 500;

process.once('message', ({ attack: name, port, key }: AttackOrder) => {
  const attack = ATTACKS.find((each) => each.name === name);
  if (!attack) throw new Error(`there is no attack ${name}`);
  const opening = Buffer.from(attack.opening(key));
  let requests = 0;
  const onRequest = (): void => void (requests += 1);
  for (let n = 0; n < attack.peers; n += 1) {
    // Spread over the pause, as independent peers would be.
    setTimeout(
      () => {
        attackOn(attack, { port, opening, onRequest });
      },
      (attack.pauseMs * n) / attack.peers,
    );
  }
  setInterval(() => process.send?.({ requests } satisfies AttackReport), REPORT_MS);
});

interface Target {
  readonly port: number;
  readonly opening: Buffer;
  readonly onRequest: () => void;
}

/** One peer: a connection, and another when that is closed. */
function attackOn(attack: Attack, target: Target): void {
  const socket = connect(target.port, '127.0.0.1');
  const ask = (): void => {
    if (socket.writableLength > 0 || socket.destroyed) return;
    socket.write(target.opening);
    target.onRequest();
  };
  const timer = attack.everySecond === undefined ? undefined : trickle(socket, attack.everySecond);
  socket.on('connect', ask);
  // One response, however many parts it comes in, is one pause.
  let waiting: NodeJS.Timeout | undefined;
  socket.on('data', () => {
    if (attack.everySecond !== undefined) return;
    waiting ??= setTimeout(() => {
      waiting = undefined;
      ask();
    }, pauseOf(attack));
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearInterval(timer);
    clearTimeout(waiting);
    setTimeout(() => {
      attackOn(attack, target);
    }, pauseOf(attack));
  });
}

/** Not the same for all: one stall of the gateway would make them attack in step from then on. */
function pauseOf({ pauseMs }: Attack): number {
  return pauseMs * (0.5 + Math.random());
}

function trickle(socket: Socket, text: string): NodeJS.Timeout {
  return setInterval(() => {
    if (socket.writable && socket.writableLength === 0) socket.write(text);
  }, 1000);
}
