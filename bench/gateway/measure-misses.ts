import { Agent, request as send, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { once } from 'node:events';

import { formatMs, print, printTable } from '../measuring/print.js';
import { sampleInTurn, timed } from '../measuring/sampling.js';

/** One request for a value that was never requested before. */
export interface MissRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
}

/** A way to the result of a query. */
export interface MissSubject {
  readonly name: string;
  /** The subject whose median is subtracted; absent for those that are such a baseline. */
  readonly baseline?: string;
  readonly next: () => MissRequest;
}

export interface MissCase {
  readonly query: string;
  readonly subjects: readonly MissSubject[];
}

const LEAVES_OUT = `
One connection, one request at a time, sent to all ways in turn; each has a value that no request had before. "direct" is
the very request that the gateway sends to ClickHouse, settings included, without the gateway; "adds" is the difference of
the medians. The projects do not exist, so that ClickHouse's time is that of a small query. Queueing under load and
requests for one result at the same time are left out.`;

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

/** Sends a request, and reads the complete response; returns its bytes. */
async function receive(agent: Agent, { url, method, headers, body }: MissRequest): Promise<number> {
  const request = send(url, { agent, method, headers });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const received = Buffer.concat(chunks);
  if (response.statusCode !== 200) {
    throw new Error(`${response.statusCode} of ${url.slice(0, 100)}: ${received.toString().slice(0, 300)}`);
  }
  const state = String(response.headers['x-cache'] ?? '');
  if (/\bhit\b/i.test(state)) throw new Error(`${url.slice(0, 100)} is a hit`);
  return received.length;
}

const formatKilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
