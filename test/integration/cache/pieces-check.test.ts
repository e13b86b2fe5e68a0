import { withCallTools } from '../../../src/commands/clickhouse/call-tools.js';
import type { CheckedEndpoint } from '../../../src/commands/check/checked-endpoint.js';
import { withUntilChanged } from '../../../src/commands/check/until-changed.js';
import { readSqlEndpoint } from '../../support/read-sql-endpoint.js';
import { readConfig } from '../../../src/gateway/config/config.js';
import { versionedEndpoint, VersionedServer } from '../../support/versioned-gateway.js';
import { openForAll } from '../../support/opened.js';

const COLUMNS = `"DateTime('UTC')"`;
const header = (more = ''): string => `parameters:
  from: { kind: timestamp, required: true, description: The begin. }
  to: { kind: timestamp, required: true, description: The end. }
columns: { bucket: ${COLUMNS}, n: UInt64 }
pieces: { table: events, time: t, bucket: bucket, from: from, to: to }
example: { from: '2026-01-01', to: '2026-01-07' }${more}`;
const IN_RANGE = 't >= @from AND t < @to';
const GROUPED = 'GROUP BY bucket ORDER BY bucket';

const server = openForAll(() => VersionedServer.start());

beforeAll(async () => {
  const engine = 'ENGINE = MergeTree PARTITION BY toYYYYMMDD(t) ORDER BY t';
  await server.run(`CREATE TABLE events (t DateTime('UTC'), id UInt64) ${engine}`);
  await server.run(
    `CREATE TABLE others (t DateTime('UTC'), id UInt64) ${engine.replace('Merge', 'ReplacingMerge').replace(/t$/, '(t, id)')} SAMPLE BY id`,
  );
  await server.run(`CREATE TABLE monthly (t DateTime('UTC'), id UInt64) ENGINE = MergeTree ORDER BY t`);
  await server.run('CREATE VIEW seen AS SELECT * FROM events');
  await server.run(
    "INSERT INTO events SELECT toDateTime('2026-01-01 00:00:00', 'UTC') + number * 1800, number % 50 FROM numbers(6 * 48)",
  );
});

/** What `querygate check` adds for an endpoint. */
async function findings(
  select: string,
  change: (text: string) => string = (text) => text,
  lacksColumns = false,
): Promise<Pick<CheckedEndpoint, 'problems' | 'warnings'>> {
  const completed = readSqlEndpoint(change(versionedEndpoint('checked', 1, header(), select)));
  const endpoint = lacksColumns ? { ...completed, columns: new Map<never, never>() } : completed;
  const checked: CheckedEndpoint = {
    ...{ name: 'checked', problems: [], warnings: [], tables: [] },
    ...(lacksColumns && { completed }),
    example: { rows: 1, truncated: false, milliseconds: 1, rowsRead: 1, bytesRead: 1 },
  };
  const config = readConfig({ API_KEY: 'a key of every caller' });
  const { signal } = new AbortController();
  const [found] = await withCallTools(server.server.adminConnection, config, signal, (tools) =>
    withUntilChanged([checked], [endpoint], server.server.adminConnection, tools),
  );
  return { problems: found?.problems ?? [], warnings: found?.warnings ?? [] };
}

const hourly = (from: string, more = '', expression = 'toStartOfHour(t)'): string =>
  `SELECT ${expression} AS bucket, count() AS n FROM ${from} WHERE ${IN_RANGE} ${more} ${GROUPED}`;

it.each([
  ['hours of a table', hourly('events')],
  ['rows joined with others', hourly('events AS e LEFT JOIN (SELECT id FROM others) AS o ON o.id = e.id')],
  ['rows of a subquery', hourly('(SELECT *, id % 2 AS odd FROM events)', 'AND odd = 1')],
  [
    'groups of a subquery',
    `SELECT bucket, n FROM (SELECT toStartOfHour(t) AS bucket, count() AS n FROM events WHERE ${IN_RANGE} GROUP BY bucket) ORDER BY bucket`,
  ],
  ['elements of arrays', hourly('events ARRAY JOIN [1, 2] AS element', 'AND element > 0')],
  [
    'ends with names',
    `WITH @from AS begin, @to AS "the, end: x" ${hourly('events').replace('@from', 'begin').replace('@to', '"the, end: x"')}`,
  ],
  ['rows after the begin', hourly('events').replace('>=', '>')],
  ['rows whose id another table has', hourly('events', 'AND id NOT IN (SELECT id FROM others)')],
])('finds nothing wrong with %s', async (_what, select) => {
  expect(await findings(select)).toEqual({ problems: [], warnings: [] });
});

it('compares the rows of a file without columns with those that were found', async () => {
  expect(await findings(hourly('events'), undefined, true)).toEqual({ problems: [], warnings: [] });
});

const RANGE_HIDDEN =
  'its WHERE does not compare t of logs.events itself with both ends of the range themselves, as in t >= @from AND t < @to, in terms of their own; a column of the result that has the name t hides it';
const GROUPS_FILTERED = 'it filters or joins the groups: HAVING, WHERE around GROUP BY, arrayJoin';
const OTHER_ROWS = (what: string): string => `it has ${what}, which needs all rows`;
const NOT_COMPOSED = 'its results are not composed of pieces: ';

it.each([
  ['a view of the table', hourly('seen'), 'the query reads the view logs.seen'],
  [
    'a view beside the table',
    hourly('events', 'AND id IN (SELECT id FROM seen)'),
    'the query reads the view logs.seen',
  ],
  [
    'the table twice',
    hourly('events', 'AND id > (SELECT avg(id) FROM events)'),
    'it reads logs.events more than once',
  ],
  [
    'a table of another time',
    `SELECT toStartOfHour(e.t) AS bucket, count() AS n FROM others AS o INNER JOIN events AS e ON e.id = o.id WHERE o.t >= @from AND o.t < @to ${GROUPED}`,
    'it does not read logs.events as the first table of its FROM',
  ],
  [
    'rows without a partner',
    `SELECT toStartOfHour(e.t) AS bucket, count() AS n FROM events AS e FULL JOIN others AS o ON e.id = o.id WHERE e.t >= @from AND e.t < @to ${GROUPED}`,
    'it has a join other than LEFT JOIN and INNER JOIN (ALL FULL)',
  ],
  [
    'the time of a joined table',
    `SELECT toStartOfHour(e.t) AS bucket, count() AS n FROM events AS e INNER JOIN others AS o ON e.id = o.id WHERE o.t >= @from AND e.t < @to ${GROUPED}`,
    RANGE_HIDDEN,
  ],
  [
    'the first partner of a row',
    `SELECT toStartOfHour(e.t) AS bucket, count() AS n FROM events AS e ANY INNER JOIN others AS o ON e.id = o.id WHERE e.t >= @from AND e.t < @to ${GROUPED}`,
    'it has a join other than LEFT JOIN and INNER JOIN (ANY INNER)',
  ],
  [
    'a LIMIT in a subquery',
    hourly('(SELECT * FROM events ORDER BY id LIMIT 5)'),
    OTHER_ROWS('LIMIT or OFFSET'),
  ],
  ['a LIMIT of the query', `${hourly('events')} LIMIT 5`, OTHER_ROWS('LIMIT or OFFSET')],
  ['an OFFSET', `${hourly('events')} OFFSET 5`, OTHER_ROWS('LIMIT or OFFSET')],
  ['a FETCH', `${hourly('events')} OFFSET 0 ROWS FETCH FIRST 5 ROWS ONLY`, OTHER_ROWS('LIMIT or OFFSET')],
  ['a TOP', hourly('events').replace('SELECT', 'SELECT TOP 5'), OTHER_ROWS('LIMIT or OFFSET')],
  ['a LIMIT BY', `${hourly('events')} LIMIT 1 BY n`, OTHER_ROWS('LIMIT or OFFSET')],
  [
    'a DISTINCT ON',
    hourly('events').replace('SELECT', 'SELECT DISTINCT ON (n)'),
    OTHER_ROWS('LIMIT or OFFSET'),
  ],
  [
    'a LIMIT that is not reached now',
    hourly('events', 'AND (1 = 1 OR id IN (SELECT id FROM others LIMIT 5))'),
    OTHER_ROWS('LIMIT or OFFSET'),
  ],
  [
    'a UNION',
    hourly('events', 'AND id NOT IN (SELECT 1 UNION ALL SELECT 2)'),
    OTHER_ROWS('UNION, INTERSECT or EXCEPT'),
  ],
  ['FINAL', hourly('events', 'AND id IN (SELECT id FROM others FINAL)'), OTHER_ROWS('FINAL or SAMPLE')],
  [
    'SAMPLE',
    hourly('events', 'AND id IN (SELECT id FROM others AS o SAMPLE 1 / 2)'),
    OTHER_ROWS('FINAL or SAMPLE'),
  ],
  [
    'a ROLLUP',
    hourly('events').replace('GROUP BY bucket', 'GROUP BY ROLLUP (bucket)'),
    OTHER_ROWS('ROLLUP, CUBE, GROUPING SETS or TOTALS'),
  ],
  [
    'GROUPING SETS',
    hourly('events').replace('GROUP BY bucket', 'GROUP BY GROUPING SETS ((bucket), ())'),
    OTHER_ROWS('ROLLUP, CUBE, GROUPING SETS or TOTALS'),
  ],
  [
    'a CUBE',
    hourly('events').replace('GROUP BY bucket', 'GROUP BY bucket WITH CUBE'),
    OTHER_ROWS('ROLLUP, CUBE, GROUPING SETS or TOTALS'),
  ],
  [
    'totals',
    hourly('(SELECT t, count() AS c FROM events GROUP BY t WITH TOTALS)'),
    OTHER_ROWS('ROLLUP, CUBE, GROUPING SETS or TOTALS'),
  ],
  ['WITH FILL', `${hourly('events')} WITH FILL STEP 3600`, OTHER_ROWS('WITH FILL')],
  [
    'concurrent rows',
    hourly('events', 'AND runningConcurrency(t, t + 1) > 0'),
    OTHER_ROWS('runningConcurrency()'),
  ],
  [
    'a window',
    hourly('events', 'AND id IN (SELECT sum(id) OVER (ORDER BY id) FROM others)'),
    OTHER_ROWS('a window'),
  ],
  [
    'an end that is used twice',
    hourly('events', 'AND toDate(id) < @to'),
    'it uses the parameter to of its pieces more than once',
  ],
  ['a filter of groups', hourly('events').replace('ORDER BY', 'HAVING n > 1 ORDER BY'), GROUPS_FILTERED],
  [
    'a filter around groups',
    `SELECT bucket, n FROM (SELECT toStartOfHour(t) AS bucket, count() AS n FROM events WHERE ${IN_RANGE} GROUP BY bucket) WHERE n > 0 ORDER BY bucket`,
    GROUPS_FILTERED,
  ],
  ['elements of groups', hourly('events', '', 'arrayJoin([toStartOfHour(t)])'), GROUPS_FILTERED],
  [
    'a column of the result that hides the time',
    `SELECT toStartOfHour(t) AS t, t AS bucket, count() AS n FROM events WHERE ${IN_RANGE} GROUP BY t ORDER BY bucket`,
    RANGE_HIDDEN,
  ],
  [
    'a range that another condition widens',
    hourly('events').replace('t < @to', '(t < @to OR id = 7)'),
    RANGE_HIDDEN,
  ],
  ...[
    't >= @from + INTERVAL 6 HOUR AND t < @to',
    't >= @from AND t < @to + INTERVAL 1 DAY',
    't >= @from::Date AND t < @to',
    't >= greatest(@from, toDateTime64(0, 6)) AND t < @to',
    't >= (SELECT @from) AND t < @to',
    't + INTERVAL 1 HOUR >= @from AND t < @to',
    '@from <= t AND t < @to',
    'if(@from > 0, t >= toDateTime(0), 0) AND t < @to',
  ].map((range) => [range, hourly('events').replace(IN_RANGE, range), RANGE_HIDDEN]),
  [
    'a bound with a name',
    `WITH @from + INTERVAL 6 HOUR AS begin ${hourly('events').replace('@from', 'begin')}`,
    RANGE_HIDDEN,
  ],
  [
    'another order',
    hourly('events').replace('ORDER BY', 'ORDER BY n,'),
    'its ORDER BY does not begin with bucket ASC',
  ],
  ['the opposite order', `${hourly('events')} DESC`, 'its ORDER BY does not begin with bucket ASC'],
  [
    'no order',
    hourly('events').replace('ORDER BY bucket', ''),
    'its ORDER BY does not begin with bucket ASC',
  ],
  [
    'two levels of groups',
    `SELECT bucket, count() AS n FROM (SELECT toStartOfHour(t) AS bucket, id FROM events WHERE ${IN_RANGE} GROUP BY bucket, id) ${GROUPED}`,
    'it groups the rows more than once',
  ],
  [
    'a bucket of an aggregate function',
    `SELECT min(t) AS bucket, count() AS n FROM events WHERE ${IN_RANGE}`,
    'the column bucket is not computed of single rows',
  ],
  [
    'the newest time of groups',
    `SELECT bucket, n FROM (SELECT max(t) AS bucket, count() AS n FROM events WHERE ${IN_RANGE} GROUP BY toStartOfHour(t)) ORDER BY bucket`,
    'the column bucket is not computed of single rows',
  ],
])('warns of %s', async (_what, select, reason) => {
  expect(await findings(select)).toEqual({ problems: [], warnings: [NOT_COMPOSED + reason] });
});

it('warns of a table without partitions, and of buckets that have rows of two days', async () => {
  const monthly = (text: string): string => text.replaceAll('events', 'monthly');
  expect((await findings(hourly('events'), monthly)).warnings).toEqual([
    `${NOT_COMPOSED}logs.monthly is partitioned by nothing, and not by one function of t`,
  ]);
  const [warning] = (await findings(hourly('events', '', "toDateTime(toMonday(t), 'UTC')"))).warnings;
  expect(warning).toMatch(/none of 12 ranges of its data could be: .* buckets with rows of two partitions$/);
});
