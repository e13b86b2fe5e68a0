import { httpGet } from '../measuring/http-get.js';
import type { ServerProcess } from '../servers/server-process.js';

/** A server under load, and the requests that it is sent. */
export interface Subject {
  readonly name: string;
  readonly server: ServerProcess;
  /** Of a server that says how late its event loop is. */
  readonly loopDelayFile?: string | undefined;
  readonly targets: readonly string[];
  /** Headers of the request with this number. */
  readonly headersOf: (index: number) => Readonly<Record<string, string>>;
}

export const portOf = ({ url }: ServerProcess): number => Number(new URL(url).port);

/** The complete requests of a subject. */
export function requestsOf({ server, targets, headersOf }: Subject): readonly string[] {
  return targets.map((target, index) => {
    const headers = Object.entries(headersOf(index)).map(([name, value]) => `${name}: ${value}\r\n`);
    return `GET ${target} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n${headers.join('')}\r\n`;
  });
}

/** @throws Error where a server responds to a repeated request with anything but a cache hit. */
export async function requireHit({ name, server, targets, headersOf }: Subject): Promise<void> {
  const headers = await httpGet(server.url + (targets[0] ?? ''), headersOf(0));
  const state = String(headers['x-cache'] ?? headers['x-trickster-result']);
  if (!/\bhit\b/i.test(state)) throw new Error(`${name} did not respond with a hit: ${state}`);
}
