import {
  choose,
  column,
  defineEndpoint,
  is,
  isOmitted,
  jsonColumn,
  part,
  sql,
  text,
  timestamp,
  whenGiven,
  where,
  withParts,
  type Sql,
} from 'querygate';

/**
 * The parts of the saved query, one for each kind of log. The result has rows of `edge_source` only; where
 * sandboxing is enabled, a caller's own SQL may read the others too.
 */
const TABLES = {
  edge_source: sql`edge_logs`,
  database_source: sql`database_logs`,
  function_relay_source: sql`function_relay_logs`,
  function_event_source: sql`function_event_logs`,
  auth_source: sql`auth_logs`,
  realtime_source: sql`realtime_logs`,
  storage_source: sql`storage_logs`,
  rest_source: sql`rest_logs`,
  pooler_source: sql`pooler_logs`,
};

// ClickHouse's JSON functions reject integers beyond 64 bits and unpaired surrogates, which JSON allows. They therefore check
// a copy without these. The replacements cannot turn invalid text into valid JSON.
const CHECKED_METADATA = sql`
  replaceRegexpAll(replaceRegexpAll(metadata, '[1-9][0-9]{18,}', '1000'), 'u[dD][89a-fA-F]', 'u00')`;

// Metadata that is not a JSON object is returned as {"raw": …}. A byte order mark before an object is removed. A line feed
// in an object is white space between tokens; it is replaced, because it would look like the end of a row.
const METADATA_OBJECT = sql`
  multiIf(
    metadata = '', '{}',
    JSONType(${CHECKED_METADATA}) = 'Object',
    replaceAll(substring(metadata, position(metadata, '{')), '\\n', ' '),
    toJSONString(map('raw', toValidUTF8(metadata))))`;

const LIMIT = 100;

// A query that sorts by time alone reads in the order of the primary key, and so only the newest granules. The subquery
// does so to find the time of the 101st newest row, or of the oldest where there are fewer: one more than the limit, to
// detect truncation. The outer query reads every row from that time on, ties included. Without rows the time is null, with
// which no row compares, so that the outer query reads nothing.
const ONE_MORE_THAN_LIMIT = sql`101`;

export default defineEndpoint({
  id: 'e1d0c9b8-a7f6-4e5d-8c4b-3a2918f7e655',
  name: 'logs.all',
  summary: 'The newest edge log records of a project, at most 100, within the retention of its tier.',
  tags: ['logs'],
  parameters: {
    project: text({ required: true, description: 'Project reference.' }),
    project_tier: text({
      description: 'Retention: FREE 1 day, PRO 7 days, PAYG and ENTERPRISE 90 days; anything else 1 day.',
      suggestions: ['FREE', 'PRO', 'PAYG', 'ENTERPRISE'],
    }),
    iso_timestamp_start: timestamp({
      description: 'Only records strictly later than this. Empty or omitted: no lower bound.',
      empty: 'omitted',
    }),
    iso_timestamp_end: timestamp({
      description: 'Only records at or before this time. Empty or omitted: no upper bound.',
      empty: 'omitted',
    }),
  },
  columns: {
    id: column('UUID', 'Identifier of the record.'),
    timestamp: column("DateTime64(6, 'UTC')", 'Time of the event, in microseconds.'),
    event_message: column('String', 'The log line.'),
    metadata: jsonColumn('Everything else in the record.'),
  },
  // Any two records have different ids.
  pages: { by: ['timestamp desc', 'id'] },
  maxRows: 1000,
  limit: LIMIT,
  caching: 'disabled',
  warming: 0,
  sandboxing: 'disabled',
  tenant: {
    edge_logs: 'project',
    database_logs: 'project',
    function_relay_logs: 'project',
    function_event_logs: 'project',
    auth_logs: 'project',
    realtime_logs: 'project',
    storage_logs: 'project',
    rest_logs: 'project',
    pooler_logs: 'project',
  },
  example: { project: 'aurora', project_tier: 'PRO' },
  build: (p, now, after) => {
    const retention = choose(
      [is(p.project_tier, 'PRO'), sql`INTERVAL 7 DAY`],
      [is(p.project_tier, 'PAYG'), sql`INTERVAL 90 DAY`],
      [is(p.project_tier, 'ENTERPRISE'), sql`INTERVAL 90 DAY`],
      sql`INTERVAL 1 DAY`,
    );
    const source = (table: Sql): Sql => sql`
      SELECT id, timestamp, event_message, metadata
      FROM ${table}
      ${where(
        sql`project = ${p.project}`,
        sql`timestamp > ${now} - ${retention}`,
        whenGiven(p.iso_timestamp_start, sql`timestamp > ${p.iso_timestamp_start}`),
        whenGiven(p.iso_timestamp_end, sql`timestamp <= ${p.iso_timestamp_end}`),
        after.rows,
      )}
      ORDER BY timestamp DESC`;
    const parts = Object.entries(TABLES).map(([name, table]) => part(name, source(table)));
    const [edge = part('edge_source', sql``)] = parts;
    const newest = (filter: Sql): Sql => sql`
      SELECT timestamp FROM ${edge} ${filter} ORDER BY timestamp DESC LIMIT ${ONE_MORE_THAN_LIMIT}`;
    const endOfFirstPage = choose(
      [isOmitted(p.iso_timestamp_end), sql`${now}`],
      sql`least(${now}, ${p.iso_timestamp_end})`,
    );
    const end = choose([after.isFirstPage, endOfFirstPage], after.last('timestamp'));
    const lastDay = sql`${end} - INTERVAL 1 DAY`;
    // Reading in order begins in each data part, of which there are some for each day: the last day alone has few. Older rows
    // are read only if that day has too few: otherwise the condition on the constant `recent` is false before anything is read.
    const oldestOfDays = sql`
      WITH
        (SELECT groupArray(timestamp) FROM (${newest(sql`WHERE timestamp >= ${lastDay}`)})) AS recent,
        (
          SELECT groupArray(timestamp)
          FROM (${newest(sql`WHERE timestamp < ${lastDay} AND length(recent) < ${ONE_MORE_THAN_LIMIT}`)})
        ) AS older
      SELECT arrayElementOrNull(
        arraySlice(arrayReverseSort(arrayConcat(recent, older)), 1, ${ONE_MORE_THAN_LIMIT}), -1)`;
    const oldestAtOnce = sql`SELECT minOrNull(timestamp) FROM (${newest(sql``)})`;
    const oldestInRetention = choose(
      [is(p.project_tier, 'PRO'), oldestOfDays],
      [is(p.project_tier, 'PAYG'), oldestOfDays],
      [is(p.project_tier, 'ENTERPRISE'), oldestOfDays],
      oldestAtOnce,
    );
    // A lower bound of the caller's most often leaves less than a day, for which a second search would only add time.
    const oldestNeeded = choose([isOmitted(p.iso_timestamp_start), oldestInRetention], oldestAtOnce);
    return withParts(
      parts,
      sql`
        SELECT id, timestamp, event_message, ${METADATA_OBJECT} AS metadata
        FROM ${edge}
        WHERE timestamp >= (
          ${oldestNeeded}
        )
        ORDER BY timestamp DESC, id, event_message, edge_source.metadata`,
    );
  },
});
