import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { sendRequest, type SendOptions } from './send-request.js';
import type { Tally } from './tally.js';

/** The repeated requests of one kind of caller. */
export interface Traffic {
  readonly kind: string;
  readonly callers: number;
  /** Milliseconds between a response and the next request. */
  readonly pauseMs: number;
  /** Milliseconds within which a response must arrive. */
  readonly deadlineMs: number;
  /** Builds the request with that number. */
  readonly request: (n: number) => { readonly target: string } & Omit<SendOptions, 'timeoutMs' | 'agent'>;
}

/** The keys of the traffic, by name. */
export type SoakKeys = Readonly<Record<'dashboard' | 'flood' | 'beside', string>>;

/** The longest time that a query may wait and run, in the configuration of the soaked gateway. */
export const QUERY_SECONDS = 4;
export const QUEUE_SECONDS = 2;
const OWN_WAIT_SECONDS = 3;
const STATS = '/api/endpoints/query/functions.invocation-stats';
const LOGS = '/api/endpoints/query/logs.all';
const COUNTS = '/api/endpoints/query/usage.api-counts';
const ANY_DEADLINE_MS = (QUERY_SECONDS + QUEUE_SECONDS) * 1000;
let sent = 0;

/** Returns the target of a query that was never sent before. */
export const newTarget = (): string => `${STATS}?interval=1hr&project=none-${(sent += 1)}`;

/** About thirty callers of all kinds. */
export function trafficOf({ dashboard, flood, beside }: SoakKeys): readonly Traffic[] {
  const as = (key: string, more: Readonly<Record<string, string>> = {}) => ({
    headers: { 'X-API-KEY': key, ...more },
  });
  const inTime = { Prefer: `wait=${OWN_WAIT_SECONDS}` };
  const wrong = invalidRequests(dashboard);
  const usual = { pauseMs: 10, deadlineMs: ANY_DEADLINE_MS };
  return [
    {
      ...usual,
      kind: 'hits',
      callers: 6,
      pauseMs: 2,
      request: (n) => ({
        target: `${STATS}?project=aurora&interval=${n % 2 === 0 ? '1hr' : '1day'}`,
        ...as(dashboard),
      }),
    },
    { ...usual, kind: 'misses', callers: 4, request: () => ({ target: newTarget(), ...as(dashboard) }) },
    {
      ...usual,
      kind: `misses, wait=${OWN_WAIT_SECONDS}`,
      callers: 4,
      deadlineMs: OWN_WAIT_SECONDS * 1000,
      request: () => ({ target: newTarget(), ...as(dashboard, inTime) }),
    },
    {
      ...usual,
      kind: 'not cached',
      callers: 4,
      request: () => ({ target: `${LOGS}?project=aurora&project_tier=PRO`, ...as(dashboard) }),
    },
    { ...usual, kind: 'mistakes', callers: 2, request: (n) => wrong[n % wrong.length] ?? { target: STATS } },
    {
      ...usual,
      kind: 'flood of a limited key',
      callers: 6,
      pauseMs: 1,
      request: () => ({ target: newTarget(), ...as(flood) }),
    },
    {
      ...usual,
      kind: 'one key beside the flood',
      callers: 1,
      request: () => ({ target: newTarget(), ...as(beside) }),
    },
    {
      ...usual,
      kind: 'hanging up',
      callers: 3,
      request: (n) => ({ target: newTarget(), ...as(dashboard), disconnectAfterMs: 1 + (n % 15) }),
    },
  ];
}

/** Requests that the gateway rejects. */
function invalidRequests(key: string): readonly ReturnType<Traffic['request']>[] {
  const headers = { 'X-API-KEY': key };
  return [
    { target: `${COUNTS}?interval=daily&project=(`, headers },
    { target: COUNTS, headers },
    { target: `${STATS}?project=a&project=b`, headers },
    { target: '/api/endpoints/query/nothing', headers },
    { target: STATS, headers: { 'X-API-KEY': 'qg_unknown' } },
    { target: STATS, headers: {} },
  ];
}

export interface LoadOptions {
  readonly tally: Tally;
  readonly stopped: AbortSignal;
  /** Maximum delay of a response; one second on an otherwise idle machine. */
  readonly slackMs?: number;
}

/** Makes all callers send until they are stopped; resolves when the last of them has its response. */
export async function runLoad(
  url: string,
  traffic: readonly Traffic[],
  { tally, stopped, slackMs = 1000 }: LoadOptions,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const call = async ({ kind, pauseMs, deadlineMs, request }: Traffic, first: number): Promise<void> => {
    for (let n = first; !stopped.aborted; n += 1) {
      const { target, ...options } = request(n);
      // A request that disconnects closes its connection.
      const shared = options.disconnectAfterMs === undefined ? { agent } : {};
      tally.add(
        kind,
        await sendRequest(url + target, { ...options, ...shared, timeoutMs: deadlineMs + slackMs }),
      );
      await delay(pauseMs);
    }
  };
  await Promise.all(traffic.flatMap((each) => Array.from({ length: each.callers }, (_, n) => call(each, n))));
  agent.destroy();
}
