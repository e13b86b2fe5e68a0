import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { endWithThisProcess } from '../bench/gateway-process.js';
import { residentMegabytes } from '../bench/observe.js';
import { askOnce } from './ask.js';
import type { AttackOrder, AttackReport } from './attacker.js';
import { ATTACKS, type Attack } from './attacks.js';
import type { Stand } from './stand.js';
import { Tally, type KindFigures } from './tally.js';

/** What a caller with a key saw during an attack. */
export interface AttackedFigures extends KindFigures {
  readonly name: string;
  readonly peers: number;
  /** Requests of the attackers, a second. */
  readonly rate: number;
  /** Of the gateway, in megabytes. */
  readonly memory: string;
}

/** What a cache hit may take while anybody attacks. */
export const MAX_P99_MS = 100;

const ATTACKER = fileURLToPath(new URL('./attacker.js', import.meta.url));
const HIT = '/api/endpoints/query/functions.invocation-stats?project=aurora&interval=1hr';
const PAUSE_MS = 5;
const TIMEOUT_MS = 20_000;

/** Measures cache hits without an attack, and then during each, from another process than the attackers'. */
export async function runAttacks(
  stand: Stand,
  seconds: number,
  report: (figures: AttackedFigures) => void,
): Promise<readonly AttackedFigures[]> {
  const all: AttackedFigures[] = [];
  for (const attack of [undefined, ...ATTACKS]) {
    const figures = await measureHits(stand, attack, seconds);
    report(figures);
    all.push(figures);
  }
  return all;
}

async function measureHits(
  { gateway, keys }: Stand,
  attack: Attack | undefined,
  seconds: number,
): Promise<AttackedFigures> {
  const attackers = attack && startAttackers(attack, Number(new URL(gateway.url).port), keys.beside);
  const agent = new Agent({ keepAlive: true });
  const tally = new Tally();
  const options = { agent, headers: { 'X-API-KEY': keys.dashboard }, timeoutMs: TIMEOUT_MS };
  await askOnce(gateway.url + HIT, options);
  const endsAt = performance.now() + seconds * 1000;
  while (performance.now() < endsAt) {
    tally.add('hits', await askOnce(gateway.url + HIT, options));
    await delay(PAUSE_MS);
  }
  const memory = await residentMegabytes(gateway.process);
  agent.destroy();
  const requests = (await attackers?.stop()) ?? 0;
  const [figures] = tally.figures();
  if (!figures) throw new Error('no request was answered');
  return {
    ...figures,
    name: attack?.name ?? 'none',
    peers: attack?.peers ?? 0,
    rate: requests / seconds,
    memory,
  };
}

interface Attackers {
  /** Ends them, and gives how many requests they sent. */
  readonly stop: () => Promise<number>;
}

function startAttackers({ name }: Attack, port: number, key: string): Attackers {
  const child = fork(ATTACKER, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  endWithThisProcess(child);
  child.send({ attack: name, port, key } satisfies AttackOrder);
  let sent = 0;
  child.on('message', ({ requests }: AttackReport) => (sent = requests));
  return {
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      return sent;
    },
  };
}

/** A line of what was seen. */
export function lineOf({
  name,
  peers,
  rate,
  requests,
  answers,
  p50,
  p99,
  slowest,
  memory,
}: AttackedFigures): string {
  const times = `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, slowest ${slowest.toFixed(0)} ms`;
  const outcomes = [...answers].map(([answer, times]) => `${times} × ${answer}`).join(', ');
  const attack = peers === 0 ? 'no attack' : `${name} (${peers} peers, ${rate.toFixed(0)} requests/s)`;
  return `${attack}: ${requests} hits, ${times}; ${outcomes}; gateway ${memory} MB`;
}
