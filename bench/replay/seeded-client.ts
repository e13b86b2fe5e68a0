import type { RecordedCall } from '../../src/commands/replay/recorded-calls.js';
import type { QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { Random } from '../../test/support/random.js';

/** What a client sends. */
interface Sent {
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly pins?: Readonly<Record<string, string>>;
}

/** A record of a table, from which a client takes what it asks for. Times are `2026-05-17 10:05:00.123456`, in UTC. */
type SampledRecord = Readonly<Record<string, string | null>>;

const SAMPLED = 400;
const FREQUENT_INTERVALS = ['5min', '15min', '1hr', '1day', '7day', undefined];

/**
 * The calls that dashboards and people make: whole overviews, and values and times of records that they saw there.
 *
 * @param now the end of the data.
 * @param perEndpoint distinct calls of each of the five endpoints, at most.
 * @param seed repeats them on the same data.
 */
export async function callsOfClient(
  client: QueryClient,
  { now, perEndpoint, seed }: { readonly now: Date; readonly perEndpoint: number; readonly seed: number },
): Promise<readonly RecordedCall[]> {
  const random = new Random(seed);
  const seen = { client, now: now.toISOString().replace('T', ' ').replace('Z', '') };
  const [edge, newest, invocations, events, redirects] = [
    await sample(seen, 'edge_logs', 'timestamp > {now:DateTime64(6)} - INTERVAL 90 DAY'),
    await sample(seen, 'edge_logs', 'timestamp > {now:DateTime64(6)} - INTERVAL 5 MINUTE'),
    await sample(seen, 'function_relay_logs', 'timestamp > {now:DateTime64(6)} - INTERVAL 7 DAY'),
    await sample(seen, 'custom_events', "event_type != 'url_redirect'"),
    await sample(seen, 'custom_events', "event_type = 'url_redirect'"),
  ];
  const makers: Readonly<Record<string, () => Sent>> = {
    'functions.invocation-stats': () => invocationStats(random, invocations),
    'get-grouped-stats-events-logs': () => eventStats(random, events),
    'get-grouped-stats-redirects': () => redirectStats(random, redirects),
    'logs.all': () => logs(random, edge, newest),
    'usage.api-counts': () => apiCounts(random, edge),
  };
  const calls = Object.entries(makers).flatMap(([endpoint, make]) =>
    Array.from({ length: perEndpoint }, () => recorded(endpoint, make())),
  );
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()];
}

/** The same records on each day, if the clock of the demonstration data has the same time of day. */
async function sample(
  { client, now }: { readonly client: QueryClient; readonly now: string },
  table: string,
  condition: string,
): Promise<readonly SampledRecord[]> {
  const found = await client.query({
    query: `
      SELECT * REPLACE (toString(timestamp) AS timestamp)
      FROM (SELECT *, dateDiff('microsecond', timestamp, {now:DateTime64(6)}) AS ago FROM ${table} WHERE ${condition})
      ORDER BY cityHash64(event_message, ago) LIMIT ${SAMPLED}`,
    query_params: { now },
    format: 'JSONEachRow',
  });
  return found.json<SampledRecord>();
}

function invocationStats(random: Random, records: readonly SampledRecord[]): Sent {
  const { project, function_id } = random.of(records);
  return {
    parameters: {
      project: text(project),
      // Forms send fields that are empty.
      ...sometimes(random, 2, { function_id: random.of([text(function_id), text(function_id), '']) }),
      interval: random.of(FREQUENT_INTERVALS),
    },
  };
}

function apiCounts(random: Random, records: readonly SampledRecord[]): Sent {
  const { project, path, method } = random.of(records);
  const interval = random.of(['minutely', 'hourly', 'daily']);
  if (random.below(3) === 0) return { parameters: { interval }, pins: { project: text(project) } };
  const name = text(project);
  const patterns = [
    name,
    `${name}|delta`,
    `^https://${name}`,
    text(path),
    `${name}.*${text(method)}`,
    'v1',
    `${name}$`,
  ];
  return { parameters: { project: random.below(2) === 0 ? name : random.of(patterns), interval } };
}

function logs(random: Random, records: readonly SampledRecord[], newest: readonly SampledRecord[]): Sent {
  // A page that follows the logs asks for those after a record that it has.
  const [one, other] = [random.of(records), random.of(random.below(2) === 0 ? records : newest)];
  return {
    parameters: {
      project: text(one['project']),
      project_tier: random.of(['FREE', 'PRO', 'PAYG', 'ENTERPRISE', undefined]),
      ...sometimes(random, 3, { iso_timestamp_start: time(random, other) }),
      ...sometimes(random, 2, { iso_timestamp_end: time(random, one) }),
    },
  };
}

/** What people choose of events, in this order of the fields of a record. */
const OF_EVENTS = ['event_name', 'referrer', 'city', 'country', 'device', 'language', 'utm_params'];
const RARELY_OF_EVENTS = ['level', 'user_id', 'profile_id', 'view_id', 'event_target'];

function eventStats(random: Random, records: readonly SampledRecord[]): Sent {
  const [record, other] = [random.of(records), random.of(records)];
  const word = random.of(text(record['event_message']).split(/\s+/));
  const searched = random.of([word, word.toUpperCase(), word.slice(1), word.slice(0, -1)]);
  return {
    parameters: {
      ...chosen(random, OF_EVENTS, record, 5),
      ...chosen(random, RARELY_OF_EVENTS, record, 8),
      ...sometimes(random, 2, { event_type: random.of(['view', 'click', text(record['event_type'])]) }),
      ...sometimes(random, 2, { include_unique: random.of(['true', 'true', 'false']) }),
      ...sometimes(random, 6, { search_term: searched }),
      ...sometimes(random, 6, { event_ids: [record, other].map(({ event_id }) => text(event_id)).join(',') }),
      ...range(random, record, other),
    },
  };
}

function redirectStats(random: Random, records: readonly SampledRecord[]): Sent {
  const [record, other] = [random.of(records), random.of(records)];
  const campaign = Object.entries(
    JSON.parse(record['utm_params'] ?? '{}') as Readonly<Record<string, unknown>>,
  );
  const [key, value] = campaign.length === 0 ? ['utm_source', 'newsletter'] : random.of(campaign);
  return {
    parameters: {
      ...chosen(random, ['event_name', 'country', 'device', 'language', 'referrer'], record, 4),
      ...sometimes(random, 3, { utm_key: key, utm_value: String(value) }),
      ...sometimes(random, 10, { utm_key: key }),
      ...range(random, record, other),
    },
  };
}

/** Some of a record's values, each once in so many calls. */
function chosen(
  random: Random,
  names: readonly string[],
  record: SampledRecord,
  onceIn: number,
): Sent['parameters'] {
  return Object.assign(
    {},
    ...names.map((name) => sometimes(random, onceIn, { [name]: record[name] ?? undefined })),
  ) as Sent['parameters'];
}

/** From the time of one record to that of another, or open at an end. */
function range(random: Random, one: SampledRecord, other: SampledRecord): Sent['parameters'] {
  const [first, last] = text(one['timestamp']) < text(other['timestamp']) ? [one, other] : [other, one];
  return {
    ...sometimes(random, 2, { start_time: time(random, first) }),
    ...sometimes(random, 2, { end_time: time(random, last) }),
  };
}

/** A record's own time, as people copy it from a row, or the begin of its day, as pickers send it. */
function time(random: Random, record: SampledRecord): string {
  const [day, ofDay] = text(record['timestamp']).split(' ');
  return random.below(2) === 0 ? `${day}T${ofDay}Z` : `${day}T00:00:00Z`;
}

function sometimes(random: Random, onceIn: number, parameters: Sent['parameters']): Sent['parameters'] {
  return random.below(onceIn) === 0 ? parameters : {};
}

const text = (value: string | null | undefined): string => value ?? '';

function recorded(endpoint: string, { parameters, pins = {} }: Sent): RecordedCall {
  const pairs = (values: Sent['parameters']): (readonly [string, string])[] =>
    Object.entries(values)
      .flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
      .sort(([a], [b]) => (a < b ? -1 : 1));
  const pinned = pairs(pins);
  return {
    ...{ endpoint, parameters: JSON.stringify(pairs(parameters)), omitted: '', calls: 1, last: '' },
    pins: pinned.length === 0 ? '' : JSON.stringify(pinned),
    ...{ queries: 1, rows_read: 0, clickhouse_ms: 0 },
  };
}
