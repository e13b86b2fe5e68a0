/** The time of the gateways. */
export const NOW = '2096-03-01T12:30:00Z';

/** Times of this many records: a quarter in the last hour before that time, the others over more than eight days. */
const times = (rows: number): string => `
  toDateTime64('2096-03-01 12:29:59', 6, 'UTC')
    - toIntervalSecond(if(number % 4 = 0, number % 3541, intDiv(number * 700000, ${rows})) + rand() % 60)`;

export const TABLES = ['function_relay_logs', 'edge_logs', 'custom_events'] as const;
export type Table = (typeof TABLES)[number];

/**
 * One block of records per table, large enough that ClickHouse prefers the projections. Each event that is not a
 * redirect has an id of its own, so that `event_days` has more granules than `redirect_days`.
 */
export const INSERTS: Readonly<Record<Table, string>> = {
  function_relay_logs: `
    INSERT INTO function_relay_logs (project, function_id, timestamp, execution_time_ms, status_code)
    SELECT
      'p', toString(number % 5), ${times(24_000)},
      if(number % 50 = 7, NULL, number), [200, 404, 500, NULL][1 + number % 7 % 4]
    FROM numbers(24000)`,
  edge_logs: `
    INSERT INTO edge_logs (project, timestamp, url)
    SELECT
      if(number % 11 = 0, 'q', 'p'), ${times(24_000)},
      if(number % 11 = 0, 'https://q.test/rest?to=example',
        'https://p.example' || ['/rest', '/storage', '/auth', '/realtime'][1 + number % 7 % 4])
    FROM numbers(24000)`,
  custom_events: `
    INSERT INTO custom_events (timestamp, event_type, event_name, event_id, user_id)
    SELECT
      ${times(36_000)}, if(number % 9 = 0, 'url_redirect', 'view'),
      if(number % 9 = 0, toString(number % 7), NULL), if(number % 9 = 0, NULL, toString(number)),
      toString(number % 40)
    FROM numbers(36000)`,
};

/** A request, what ClickHouse reads for it, and a condition for its records that is independent of the endpoint. */
export interface ProjectedRequest {
  readonly path: string;
  /** Of a key that pins the project. */
  readonly isPinned?: boolean;
  /** Absent if records and projection have similarly many granules. */
  readonly reads?: readonly string[];
  /** A column whose sum is the number of these records; absent if the result ends at the endpoint's row cap. */
  readonly total?: { readonly column: string; readonly records: string };
}

const SINCE: readonly (readonly [interval: string, since: string])[] = [
  ['5min', '2096-03-01 12:25:00'],
  ['15min', '2096-03-01 12:15:00'],
  ['1hr', '2096-03-01 11:30:00'],
  ['1day', '2096-02-29 12:00:00'],
  ['7day', '2096-02-23 00:00:00'],
];

const invocations = SINCE.flatMap(([interval, since]): readonly ProjectedRequest[] => {
  const path = `functions.invocation-stats?project=p&interval=${interval}`;
  const records = `function_relay_logs WHERE timestamp >= '${since}'`;
  const from = (projection: string): string[] => [
    interval.endsWith('day') ? projection : 'function_relay_logs',
  ];
  return [
    { path, reads: from('project_hours'), total: { column: 'count', records } },
    {
      path: `${path}&function_id=3`,
      reads: from('function_hours'),
      total: { column: 'count', records: `${records} AND function_id = '3'` },
    },
  ];
});

const counts = ['minutely', 'hourly', 'daily'].flatMap((interval): readonly ProjectedRequest[] => {
  const isDaily = interval === 'daily';
  const since = isDaily ? '2096-02-23 12:30:00' : '2096-03-01 11:30:00';
  const of = (condition: string): Omit<ProjectedRequest, 'path'> => ({
    reads: isDaily ? ['edge_logs', 'origin_hours'] : ['edge_logs'],
    total: {
      column: 'total_rest_requests',
      records: `edge_logs WHERE timestamp >= '${since}' AND path = '/rest' AND ${condition}`,
    },
  });
  const path = `usage.api-counts?interval=${interval}`;
  return [
    { path: `${path}&project=example`, ...of("url LIKE '%example%'") },
    { path: `${path}&project=${encodeURIComponent('^https://p')}`, ...of("url LIKE 'https://p%'") },
    { path, isPinned: true, ...of("project = 'p'") },
  ];
});

const hits = (records: string): NonNullable<ProjectedRequest['total']> => ({ column: 'total_hits', records });
const groups: readonly ProjectedRequest[] = [
  { path: 'get-grouped-stats-events-logs', reads: ['event_days'] },
  {
    path: 'get-grouped-stats-events-logs?event_type=url_redirect',
    reads: ['event_days'],
    total: hits("custom_events WHERE event_type = 'url_redirect'"),
  },
  {
    path: 'get-grouped-stats-events-logs?event_name=3&start_time=2096-02-27T06:00:00Z',
    total: hits("custom_events WHERE event_name = '3' AND timestamp >= '2096-02-27 06:00:00'"),
  },
  {
    path: 'get-grouped-stats-redirects',
    reads: ['redirect_days'],
    total: hits("custom_events WHERE event_type = 'url_redirect'"),
  },
];

/** Every interval of every endpoint that has a projection. */
export const REQUESTS: readonly ProjectedRequest[] = [...invocations, ...counts, ...groups];
