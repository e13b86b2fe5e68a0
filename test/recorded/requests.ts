import { FORMAT_NAMES } from '../../src/gateway/formats/formats.js';
import { FUNCTIONS, NOW, pick, COUNTRIES, PROJECTS, seeded, type Random } from './rows.js';

/** A request to replay. */
export interface RecordedRequest {
  readonly path: string;
  /** The header `Prefer`, if the request has one. */
  readonly prefer?: string;
}

/** Query-string parameters; undefined where a request has none of that name. */
type Parameters = Readonly<Record<string, string | undefined>>;

const REQUESTS = 500;

const time = (random: Random): string =>
  new Date(NOW.getTime() - Math.floor(random() * 30 * 86_400_000)).toISOString();
const optional = <T>(random: Random, value: T, chance = 0.4): T | undefined =>
  random() < chance ? value : undefined;
const projectOf = (random: Random): string => pick(random, PROJECTS);

/** Generates valid parameters, by endpoint. */
export const PARAMETERS: Readonly<Record<string, (random: Random) => Parameters>> = {
  'functions.invocation-stats': (random) => ({
    project: projectOf(random),
    function_id: optional(random, pick(random, [...FUNCTIONS, ''])),
    interval: optional(random, pick(random, ['5min', '15min', '1hr', '1day', '7day', 'other']), 0.9),
  }),
  'get-grouped-stats-events-logs': (random) => ({
    level: optional(random, 'info', 0.1),
    search_term: optional(random, pick(random, ['ÜBERLAUF', '50%', '_']), 0.15),
    event_type: optional(random, pick(random, ['view', 'click', 'url_redirect']), 0.7),
    include_unique: optional(random, 'true'),
    event_ids: optional(random, pick(random, ['e1', 'e1,e2', 'e 3']), 0.5),
    country: optional(random, pick(random, COUNTRIES.country)),
    device: optional(random, pick(random, COUNTRIES.device)),
    start_time: optional(random, time(random)),
    end_time: optional(random, time(random)),
  }),
  'get-grouped-stats-redirects': (random) => ({
    country: optional(random, pick(random, COUNTRIES.country)),
    device: optional(random, pick(random, COUNTRIES.device)),
    ...(random() < 0.4 && { utm_key: 'utm_source', utm_value: pick(random, ['news', 'é', '5']) }),
    start_time: optional(random, time(random)),
    end_time: optional(random, time(random)),
  }),
  'logs.all': (random) => ({
    project: projectOf(random),
    project_tier: optional(random, pick(random, ['FREE', 'PRO', 'PAYG', 'ENTERPRISE', 'free']), 0.8),
    iso_timestamp_start: optional(random, pick(random, [time(random), '']), 0.3),
    iso_timestamp_end: optional(random, pick(random, [time(random), '']), 0.3),
  }),
  'usage.api-counts': (random) => ({
    project: pick(random, [
      ...PROJECTS,
      'q=aurora',
      '^https://(aurora|cirrus)\\.',
      '/rest$',
      'x$',
      '.',
      'gateway',
    ]),
    interval: pick(random, ['minutely', 'hourly', 'daily']),
  }),
};

/** The request target of a call. */
export function pathOf(endpoint: string, parameters: Parameters): string {
  const present = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return `/api/endpoints/query/${endpoint}?${new URLSearchParams(present).toString()}`;
}

/** Generates requests to every endpoint in every format; the same in each run. */
export function recordedRequests(): readonly RecordedRequest[] {
  const random = seeded(1005);
  const endpoints = Object.entries(PARAMETERS);
  return Array.from({ length: REQUESTS }, (_, index) => {
    const [endpoint, make] = endpoints[index % endpoints.length] ?? [];
    if (endpoint === undefined || make === undefined) throw new Error('there is no endpoint to record');
    const format = FORMAT_NAMES[Math.floor(index / endpoints.length) % FORMAT_NAMES.length];
    const path = pathOf(endpoint, { ...make(random), format });
    return random() < 0.2 ? { path, prefer: 'timestamps=unix-micros' } : { path };
  });
}
