/** The attackers' process. Arguments: an attack, a port and a key. Sends its request counts as messages. */
import { connect, type Socket } from 'node:net';

import { ATTACKS, type Attack } from '../../test/support/attacks.js';

const REPORT_MS = 500;

const [name, port, key = ''] = process.argv.slice(2);
const attack = ATTACKS.find((each) => each.name === name);
if (!attack) throw new Error(`There is no attack ${String(name)}.`);
const { pipelined = 1 } = attack;
let requests = 0;
const target: Target = {
  port: Number(port),
  opening: Buffer.from(attack.opening(key).repeat(pipelined)),
  onRequest: () => void (requests += pipelined),
};
for (let n = 0; n < attack.peers; n += 1) {
  // Spread over the pause, as with independent peers.
  const after = (attack.pauseMs * n) / attack.peers;
  setTimeout(attackOn, after, attack, target);
}
setInterval(() => process.send?.(requests), REPORT_MS);

interface Target {
  readonly port: number;
  readonly opening: Buffer;
  readonly onRequest: () => void;
}

/** One peer: a connection, and a new one whenever it is closed. */
function attackOn(attack: Attack, target: Target): void {
  const socket = connect(target.port, '127.0.0.1');
  const send = (): void => {
    if (socket.writableLength > 0 || socket.destroyed) return;
    socket.write(target.opening);
    target.onRequest();
  };
  const timer = attack.everySecond === undefined ? undefined : trickle(socket, attack.everySecond);
  socket.on('connect', send);
  // A response counts as one pause, however many chunks it has.
  let waiting: NodeJS.Timeout | undefined;
  socket.on('data', () => {
    if (attack.everySecond !== undefined) return;
    waiting ??= setTimeout(() => {
      waiting = undefined;
      send();
    }, pauseOf(attack));
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearInterval(timer);
    clearTimeout(waiting);
    setTimeout(attackOn, pauseOf(attack), attack, target);
  });
}

/** Varies: with a constant pause, one stall of the gateway would synchronize the attackers. */
function pauseOf({ pauseMs }: Attack): number {
  return pauseMs * (0.5 + Math.random());
}

function trickle(socket: Socket, text: string): NodeJS.Timeout {
  return setInterval(() => {
    if (socket.writable && socket.writableLength === 0) socket.write(text);
  }, 1000);
}
