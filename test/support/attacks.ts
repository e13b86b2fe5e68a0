/** What an attacker's connection sends, and when it sends again. */
export interface Attack {
  readonly name: string;
  readonly peers: number;
  /** Sent first; contains the key if the attack needs one. */
  readonly opening: (key: string) => string;
  /** How often the opening is sent at once, without awaiting responses; default: once. */
  readonly pipelined?: number;
  /** Sent each second until the connection closes. If absent, the attacker awaits each response instead. */
  readonly everySecond?: string;
  /** Milliseconds between a response, or the end of a connection, and the next request. */
  readonly pauseMs: number;
}

const PEERS = 50;
/** 100 requests a second from 50 peers: 50 Mbit/s in requests of 60 kB. The attackers share the machine's CPU. */
const PAUSE_MS = 500;
const CALL = '/api/endpoints/query/usage.api-counts?interval=daily&project=';

const PIPELINED = { peers: 20, pauseMs: PAUSE_MS, pipelined: 20_000 } as const;
const HIT = '/api/endpoints/query/functions.invocation-stats?project=aurora&interval=1hr';

const get = (target: string, headers: readonly string[]): string =>
  [`GET ${target} HTTP/1.1`, 'Host: gateway', ...headers].join('\r\n') + '\r\n';

const TEN = { peers: 10, pauseMs: 0 } as const;
const PAGES = '/api/endpoints/query/logs.all?project=aurora&cursor=';
const EVENTS = '/api/endpoints/query/get-grouped-stats-events-logs';

const post = (target: string, key: string, body: string): string =>
  [
    `POST ${target} HTTP/1.1`,
    'Host: gateway',
    `X-API-KEY: ${key}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Content-Length: ${body.length}`,
    `\r\n${body}`,
  ].join('\r\n');

const message = (args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get-grouped-stats-events-logs","arguments":${args}}}`;

const list = (length: number, item: string): string =>
  `{"project":"aurora","event_ids":[${Array(length).fill(item).join()}]}`;

/** Of about 256 kB, the last as long as an endpoint accepts. */
const BODIES: readonly (readonly [what: string, body: string])[] = [
  ['a list of 130,000 items', list(130_000, '1')],
  ['85,000 nested arrays', list(85_000, '[]')],
  ['28,000 names', `{${Array.from({ length: 28_000 }, (_, n) => `"${n.toString(36)}":1`).join()}}`],
  ['the longest list', list(32_769, '""')],
];

export const ATTACKS: readonly Attack[] = [
  {
    name: 'Accept of 4 kB, with a key',
    peers: PEERS,
    pauseMs: PAUSE_MS,
    opening: (key) => `${get(`${CALL}a`, [`X-API-KEY: ${key}`, `Accept: ${'a/b,'.repeat(1000)}`])}\r\n`,
  },
  {
    name: 'query string of 60 kB of escapes, without a key',
    peers: PEERS,
    pauseMs: PAUSE_MS,
    opening: () => `${get(`${CALL}${'%41'.repeat(20_000)}`, [])}\r\n`,
  },
  {
    name: 'query string of 60 kB of escapes, with a key',
    peers: PEERS,
    pauseMs: PAUSE_MS,
    opening: (key) => `${get(`${CALL}${'%41'.repeat(20_000)}`, [`X-API-KEY: ${key}`])}\r\n`,
  },
  {
    name: 'headers of 60 kB that do not end, without a key',
    peers: 800,
    pauseMs: 2000,
    opening: () => get(`${CALL}${'x'.repeat(60_000)}`, []),
    everySecond: 'X: y\r\n',
  },
  {
    name: 'headers of a byte a second, without a key',
    peers: PEERS,
    pauseMs: PAUSE_MS,
    opening: () => get(CALL, []),
    everySecond: 'x',
  },
  { ...PIPELINED, name: 'pipelined requests, without a key', opening: () => `${get(CALL, [])}\r\n` },
  {
    ...PIPELINED,
    name: 'pipelined requests, an unknown key',
    opening: () => `${get(CALL, ['X-API-KEY: qg_unknown'])}\r\n`,
  },
  {
    ...PIPELINED,
    name: 'pipelined hits, with a key',
    opening: (key) => `${get(HIT, [`X-API-KEY: ${key}`])}\r\n`,
  },
  {
    name: 'an unknown key',
    peers: PEERS,
    pauseMs: PAUSE_MS / 10,
    opening: () => `${get(CALL, ['X-API-KEY: qg_unknown'])}\r\n`,
  },
  {
    name: 'cursors of 8 kB that the gateway has not made, with a key',
    peers: PEERS,
    pauseMs: PAUSE_MS / 10,
    opening: (key) => `${get(`${PAGES}${'AQ'.repeat(4000)}`, [`X-API-KEY: ${key}`])}\r\n`,
  },
  ...BODIES.flatMap(([what, body]): readonly Attack[] => [
    { ...TEN, name: `bodies: ${what}`, opening: (key) => post(EVENTS, key, body) },
    { ...TEN, name: `messages: ${what}`, opening: (key) => post('/mcp', key, message(body)) },
  ]),
];
