import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { cpuMicroseconds } from '../measuring/cpu-time.js';
import { sendRequest, type HttpRequest } from '../measuring/http-request.js';
import { formatMs, print, printTable } from '../measuring/print.js';
import { sampleInTurn, timed } from '../measuring/sampling.js';
import { formatRatio, median } from './ratio.js';

/** A way to the result of a query. */
export interface MissSubject {
  readonly name: string;
  /** The subject whose median is subtracted; absent for those that are such a baseline. */
  readonly baseline?: string;
  /** The process whose CPU is measured. */
  readonly pid?: number;
  /** A request for a value that was never requested before. */
  readonly next: () => HttpRequest;
}

export interface MissCase {
  readonly query: string;
  readonly subjects: readonly MissSubject[];
}

/** The subject with whose CPU that of the others is compared. */
export const BARE = 'bare Node proxy';

/** Until V8 has compiled what runs often: a gateway that was just started takes twice as long. */
const WARM_UP = 1000;

const LEAVES_OUT = `
One connection, one request at a time, sent to all ways in turn; each has a value that no request had before. "direct" is
the very request that the gateway sends to ClickHouse, settings included, without the gateway; "adds" is the difference of
the medians. Gateways and the bare proxy had ${WARM_UP} misses before. The projects do not exist, so that ClickHouse's time is that of a small query. Queueing under load and
requests for one result at the same time are left out.`;

/** Sends requests of the first case to each server whose CPU is measured, in turn. */
export async function warmUp([first]: readonly MissCase[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const measured = first?.subjects.filter(({ pid }) => pid !== undefined) ?? [];
  for (let sent = 0; sent < WARM_UP; sent += 1) for (const { next } of measured) await receive(agent, next());
  agent.destroy();
}

/** Measures each case request by request in turn, and prints a table of them. */
export async function measureMisses(cases: readonly MissCase[], rounds: number): Promise<void> {
  const lines: string[][] = [];
  for (const { query, subjects } of cases) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let bytes = 0;
    const latencies = await sampleInTurn(
      rounds,
      subjects.map(({ next, baseline }) => async () => {
        const request = next();
        return timed(async () => {
          const received = await receive(agent, request);
          if (baseline === undefined) bytes = received;
        });
      }),
    );
    agent.destroy();
    const medianOf = new Map(subjects.map(({ name }, index) => [name, latencies[index]?.median ?? NaN]));
    const addedBy = ({ name, baseline = name }: MissSubject): number =>
      (medianOf.get(name) ?? NaN) - (medianOf.get(baseline) ?? NaN);
    const chproxy = subjects.find(({ name }) => name.startsWith('chproxy'));
    for (const subject of subjects) {
      const isBaseline = subject.baseline === undefined;
      const added = addedBy(subject);
      lines.push([
        `${query} (${formatKilobytes(bytes)})`,
        subject.name,
        formatMs(medianOf.get(subject.name) ?? NaN),
        isBaseline ? '' : `${added.toFixed(2)} ms`,
        isBaseline || !chproxy ? '' : (added / addedBy(chproxy)).toFixed(2),
      ]);
    }
  }
  printTable(['query (response)', 'way', 'median', 'adds', 'of what chproxy adds'], lines);
  print(LEAVES_OUT);
}

/** Misses of one server in each round, of which the CPU is measured. */
const MISSES_OF_ROUND = 100;
/** Milliseconds within which a server writes what it gathers, such as lines of its log. */
const SETTLE_MS = 50;

/** Measures the CPU of a miss, one and four at a time, in rounds of a hundred of each server in turn, and prints a table. */
export async function measureMissCpu(cases: readonly MissCase[], rounds: number): Promise<void> {
  const lines: string[][] = [];
  for (const { query, subjects } of cases) {
    for (const parallel of [1, 4]) {
      const agent = new Agent({ keepAlive: true, maxSockets: parallel });
      const measured = subjects.flatMap(({ pid, ...subject }) =>
        pid === undefined ? [] : [{ ...subject, pid, spent: [] as number[] }],
      );
      for (let round = -1; round < rounds; round += 1) {
        for (const { pid, next, spent } of round % 2 === 0 ? measured : measured.toReversed()) {
          const before = await cpuMicroseconds(pid);
          await Promise.all(
            Array.from({ length: parallel }, () => sendInTurn(agent, next, MISSES_OF_ROUND / parallel)),
          );
          await delay(SETTLE_MS);
          if (round >= 0) spent.push(((await cpuMicroseconds(pid)) - before) / MISSES_OF_ROUND);
        }
      }
      agent.destroy();
      for (const { name, spent } of measured) {
        const bare = measured.find((each) => each.name === name.replace(/^[^,]*/, BARE));
        const ratio = bare ? formatRatio(spent, bare.spent) : '';
        lines.push([query, String(parallel), name, `${median(spent).toFixed(0)} µs`, ratio]);
      }
    }
  }
  printTable(['query', 'at a time', 'way', 'CPU of a miss', 'of the bare proxy'], lines);
}

async function sendInTurn(agent: Agent, next: () => HttpRequest, times: number): Promise<void> {
  for (let sent = 0; sent < times; sent += 1) await receive(agent, next());
}

/** Sends a request; returns the bytes of its response. @throws Error for a hit. */
async function receive(agent: Agent, request: HttpRequest): Promise<number> {
  const { headers, body } = await sendRequest(agent, request);
  if (/\bhit\b/i.test(String(headers['x-cache'] ?? ''))) {
    throw new Error(`${request.url.slice(0, 100)} is a hit`);
  }
  return body.length;
}

const formatKilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
