/**
 * Rows generated inside ClickHouse: the same statement generates the same rows on every server. Many rows share a
 * timestamp to the microsecond, columns are null, empty or filled, and durations are multiples of a quarter
 * millisecond, whose sums are exact in any order. A project has so few invocations per day that a t-digest stores the
 * upper ones separately; quantiles then do not depend on the order of merges. Some URLs do not begin with the origin
 * of their project. The oldest rows are in the minute in which the window of a week begins.
 */
const STATEMENTS: readonly string[] = [
  `INSERT INTO edge_logs (id, project, timestamp, event_message, metadata, url, path, status_code)
   SELECT
     reinterpretAsUUID(sipHash128('edge', number)),
     ['aurora', 'borealis', 'cirrus', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'][1 + number % 8] AS project,
     {now:DateTime64(6, 'UTC')} - toIntervalSecond(
       least(intDiv(number, 400) * 977 + greatest(0, toInt64(intDiv(number, 400)) - 40) * 30000, 604790)),
     concat('line ', toString(number % 7)),
     if(number % 5 = 0, '', concat('{"n":', toString(number), '}')),
     concat(
       multiIf(
         number % 102 = 51, concat('https://cdn.example.net/', project),
         number % 202 = 101, concat('/', project),
         concat('https://', project, '.example.co')),
       '/',
       ['rest', 'storage', 'auth', 'realtime', 'other'][1 + number % 5],
       '/v1') AS url,
     path(url),
     if(number % 3 = 0, NULL, 200 + number % 300)
   FROM numbers(24000)`,
  `INSERT INTO function_relay_logs (id, project, timestamp, function_id, status_code, execution_time_ms)
   SELECT
     reinterpretAsUUID(sipHash128('function', number)),
     ['aurora', 'borealis', 'cirrus', 'delta'][1 + number % 4],
     {now:DateTime64(6, 'UTC')} - toIntervalMillisecond(intDiv(number, 5) * 23331),
     concat('f', toString(number % 3)),
     if(number % 7 = 0, NULL, if(number % 11 = 0, 500, 200)),
     if(number % 13 = 0, NULL, (sipHash64(number) % 4000) / 4)
   FROM numbers(4000)`,
  `INSERT INTO custom_events
     (id, timestamp, event_message, event_type, event_id, event_name, city, country, device, language, referrer, utm_params)
   SELECT
     reinterpretAsUUID(sipHash128('event', number)),
     {now:DateTime64(6, 'UTC')} - toIntervalMinute(number % 9000),
     'Ereignis',
     ['view', 'unique_view', 'click', 'url_redirect', ''][1 + number % 5],
     if(number % 4 = 0, NULL, toString(number % 6)),
     [NULL, '', 'buy', 'look'][1 + number % 4],
     [NULL, 'Rome', 'Oslo'][1 + number % 3],
     [NULL, '', 'DE', 'IT'][1 + intDiv(number, 3) % 4],
     if(number % 2 = 0, NULL, 'phone'),
     [NULL, 'de', 'en'][1 + intDiv(number, 7) % 3],
     if(number % 10 = 0, 'https://a.example', NULL),
     [NULL, '{"utm_source":"newsletter"}', '{"utm_source":"ad","n":1}'][1 + intDiv(number, 5) % 3]
   FROM numbers(9000)`,
];

/** All rows in three batches. Each covers the whole time range, so that later batches arrive late and out of order. */
export const FILL_STATEMENTS: readonly string[] = [0, 2, 1].flatMap((turn) =>
  STATEMENTS.map((statement) => `${statement} WHERE number % 3 = ${turn}`),
);

/** Settings for these statements: rows of many days; on a cluster, an insert waits until its rows are on their shard. */
export const FILL_SETTINGS = {
  max_partitions_per_insert_block: '0',
  distributed_foreground_insert: 1,
} as const;
