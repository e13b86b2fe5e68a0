/** The clock of the recorded gateway; in the future, so that the retention of the tables deletes no row. */
export const NOW = new Date('2031-05-17T10:05:03.123Z');

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Generates numbers from 0 (included) to 1 (excluded); the same sequence in each run. */
export type Random = () => number;

/** Mulberry32, a small generator whose sequence depends only on its seed. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Selects one of several values. */
export function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

/** Times from seconds to 95 days before now, in microseconds; some are the start of a bucket. */
function timeOf(random: Random): string {
  const span = pick(random, [5 * MINUTE_MS, 60 * MINUTE_MS, DAY_MS, 7 * DAY_MS, 95 * DAY_MS]);
  const before = NOW.getTime() - Math.floor(random() * span);
  const ms = random() < 0.1 ? before - (before % MINUTE_MS) : before;
  const micros = random() < 0.1 ? 0 : Math.floor(random() * 1000);
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', String(micros).padStart(3, '0'));
}

const hex = (random: Random, digits: number): string =>
  Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');

const idOf = (random: Random): string =>
  `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-8${hex(random, 3)}-${hex(random, 12)}`;

export const PROJECTS = ['aurora', 'borealis', 'cirrus'];
export const FUNCTIONS = ['hello', 'resize', 'mail'];
const PATHS = ['/rest/v1/items', '/storage/v1/object', '/auth/v1/token', '/realtime/v1', '/rest/auth', '/'];
const TEXTS = ['ok', 'Überlauf der Warteschlange', '50% done_', 'line\nfeed', '=1+1'];
const METADATA = ['{}', '{\n  "pretty": [1,\n 2]\n}', '{"n":12345678901234567890}', 'no json', ''];
const CAMPAIGNS = [null, '', '{"utm_source":"news"}', '{"utm_source":"é"}', '{"utm_source":5}', 'no json'];
export const COUNTRIES = { city: ['Bonn', 'Oslo', ''], country: ['DE', 'NO'], device: ['phone', 'desktop'] };

/** Selects one of the values, or null. */
const pickOrNull = <T>(random: Random, values: readonly T[]): T | null =>
  random() < 0.15 ? null : pick(random, values);

const shared = (random: Random): object => ({
  id: idOf(random),
  timestamp: timeOf(random),
  event_message: `${pick(random, TEXTS)} ${Math.floor(random() * 1000)}`,
  metadata: pick(random, METADATA),
});

function edgeLog(random: Random): object {
  const project = pick(random, PROJECTS);
  const path = pick(random, PATHS);
  const host = random() < 0.9 ? `${project}.example` : 'gateway.example';
  const url = `https://${host}${path}?q=${pick(random, [...PROJECTS, 'x'])}`;
  return { ...shared(random), project, method: 'GET', url, path, status_code: pick(random, [200, 404, 500]) };
}

const functionLog = (random: Random): object => ({
  ...shared(random),
  project: pick(random, PROJECTS),
  function_id: pick(random, FUNCTIONS),
  status_code: pickOrNull(random, [200, 201, 399, 400, 503]),
  // Halves and quarters, whose sums are the same in any order.
  execution_time_ms: pickOrNull(random, [Math.floor(random() * 4000) / 4]),
});

const event = (random: Random): object => ({
  ...shared(random),
  level: pickOrNull(random, ['info', 'error']),
  user_id: pickOrNull(random, ['u1', 'u2']),
  event_type: pickOrNull(random, ['view', 'unique_view', 'click', 'unique_click', 'url_redirect']),
  event_id: pickOrNull(random, ['e1', 'e2', 'e 3']),
  event_name: pickOrNull(random, ['start', '']),
  referrer: pickOrNull(random, ['https://ref.example']),
  city: pickOrNull(random, COUNTRIES.city),
  country: pickOrNull(random, COUNTRIES.country),
  device: pickOrNull(random, COUNTRIES.device),
  language: pickOrNull(random, ['de', 'no']),
  utm_params: pick(random, CAMPAIGNS),
});

/** The rows of each table that the recorded endpoints read; the same in each run. */
export function rowsByTable(): ReadonlyMap<string, readonly object[]> {
  const random = seeded(20310517);
  const make = (count: number, row: (random: Random) => object): readonly object[] =>
    Array.from({ length: count }, () => row(random));
  return new Map([
    ['edge_logs', make(4000, edgeLog)],
    ['function_relay_logs', make(4000, functionLog)],
    ['custom_events', make(4000, event)],
  ]);
}
