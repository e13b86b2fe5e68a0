import { createHash } from 'node:crypto';

import * as fc from 'fast-check';

import { createTestDatabase, type TestDatabase } from '../../support/clickhouse.js';
import { sharedSqlGateway, type SqlEndpoints } from '../../support/sql-gateway.js';
import { PARTS, condition, partial } from '../sandbox/non-interference/clauses.js';
import { fillTables, NOW } from '../sandbox/non-interference/hidden-rows.js';
import { compareOutcomes } from '../sandbox/non-interference/outcomes.js';
import { generateStatements, type Statement } from '../sandbox/non-interference/statements.js';

/** One statement of each shape, and as many of BI tools. */
const STATEMENTS = Number(process.env['NON_INTERFERENCE_SQL'] ?? 50);
const SEED = Number(process.env['NON_INTERFERENCE_SEED'] ?? 20_960_304);

const RECENT = 'timestamp > @now - INTERVAL 1 DAY';
/** Their own filter, and none: then `tenant` filters alone. */
const OWN = ['[[ AND project = @project ]]', "[[ AND @project != '' ]]"];
const ROWS = [
  'parameters: { project: { kind: string, description: Project. } }',
  'columns: { id: UUID, timestamp: DateTime64(6), event_message: String, metadata: String }',
  ...['tables: true', 'example: {}'],
];

/** An endpoint for each part of `logs.all`, so that SQL over these is SQL over tables. */
const ENDPOINTS: SqlEndpoints = Object.fromEntries(
  PARTS.map((part, index) => {
    const isResult = part === 'result';
    const tables = isResult ? ['edge_logs', 'auth_logs'] : [part.replace(/_source$/, '_logs')];
    const union = tables
      .map((table) => `SELECT id, timestamp, event_message, metadata, project FROM ${table}`)
      .join(' UNION ALL ');
    const tenant = `tenant: { ${tables.map((table) => `${table}: project`).join(', ')} }`;
    const select = `SELECT id, timestamp, event_message, metadata FROM (${union}) WHERE ${RECENT} ${OWN[index % 2]}`;
    return [part.replaceAll('_', '-'), [[...ROWS, tenant], select]] as const;
  }),
);

let database: TestDatabase;
const opened = sharedSqlGateway(
  {},
  {
    connect: async () => {
      database = await createTestDatabase();
      return database.connection;
    },
    endpoints: ENDPOINTS,
    keys: { tenant: { fixed: { project: 'mine' } } },
    clock: () => NOW,
  },
);
afterAll(() => database.close());

const table = fc.constantFrom(...PARTS.filter((part) => part !== 'result'));
const number = fc.integer({ min: 1, max: 5 });

/** What the query builders of BI tools write. */
const SHAPES: readonly fc.Arbitrary<string>[] = [
  fc
    .tuple(table, partial, condition, number)
    .map(
      ([t, x, where, n]) =>
        `SELECT toStartOfHour(a.timestamp) AS hour, count() AS n, uniq(${x('a')}) AS u FROM querygate.${t} AS a ` +
        `WHERE ${where('a')} GROUP BY hour WITH TOTALS ORDER BY hour LIMIT ${n}`,
    ),
  fc
    .tuple(table, partial, number)
    .map(
      ([t, x, n]) =>
        `SELECT \`querygate\`.\`${t}\`.\`event_message\` AS \`event_message\`, ${x(t)} AS \`value\` FROM \`querygate\`.\`${t}\` ` +
        `ORDER BY \`querygate\`.\`${t}\`.\`timestamp\` ASC, \`value\` DESC LIMIT ${n}`,
    ),
  fc
    .tuple(table, table, condition, condition, number)
    .map(
      ([t, u, on, where, n]) =>
        `SELECT "a"."event_message", sum(length("b"."metadata")) AS "sum" FROM "${t}"(project = 'mine') "a" ` +
        `LEFT JOIN "${u}" "b" ON "a"."event_message" = "b"."event_message" AND ${on('b')} WHERE ${where('a')} ` +
        `GROUP BY 1 HAVING COUNT(1) > 0 ORDER BY 1 LIMIT ${n} BY 1`,
    ),
  fc
    .tuple(table, partial, condition, number)
    .map(
      ([t, x, where, n]) =>
        `SELECT * FROM (SELECT *, ${x('s')} AS v, row_number() OVER (PARTITION BY s.metadata ORDER BY v) AS r FROM ${t} AS s) ` +
        `AS a WHERE a.event_message != {text:String} AND ${where('a')} ORDER BY timestamp LIMIT ${n} OFFSET 1`,
    ),
];

/** Not Native and Arrow: which blocks have no rows depends on which of ClickHouse's threads is first. */
const FORMATS =
  'TabSeparated JSON CSVWithNames RowBinaryWithNamesAndTypes XML JSONCompactEachRow Parquet PrettyCompactMonoBlock ORC JSONColumnsWithMetadata'.split(
    ' ',
  );
const OPTIONS: readonly Readonly<Record<string, string>>[] = [
  ...[{}, { extremes: '1' }, { limit: '3', offset: '1' }, { compress: '1', default_format: 'RowBinary' }],
  ...[
    { max_result_rows: '2', result_overflow_mode: 'break' },
    { max_result_rows: '4' },
    { join_use_nulls: '1' },
  ],
  { wait_end_of_query: '1', send_progress_in_http_headers: '1', http_headers_progress_interval_ms: '1' },
];

interface Request extends Statement {
  readonly search: Readonly<Record<string, string>>;
}

const requests: readonly Request[] = [
  ...generateStatements(STATEMENTS / 2, SEED),
  ...SHAPES.flatMap((shape, index) =>
    fc
      .sample(shape, { seed: SEED + index, numRuns: Math.ceil(STATEMENTS / 2 / SHAPES.length) })
      .map((sql) => ({ shape: `BI ${index}`, sql })),
  ),
].map((statement, index) => ({
  search: {
    ...{ default_format: FORMATS[index % FORMATS.length] ?? '', query_id: 'mine', param_text: 'x' },
    ...OPTIONS[index % OPTIONS.length],
  },
  ...statement,
}));

/** Everything that a client observes but the clock and the mark of an exception, which is drawn. */
async function observed({ sql, search }: Request): Promise<string> {
  const { send } = opened();
  const response = await send(sql, { key: 'qg_tenant', search, headers: { 'X-Request-Id': 'one' } });
  const body = Buffer.from(await response.arrayBuffer());
  const headers = [...response.headers].filter(
    ([name]) => name !== 'date' && name !== 'x-clickhouse-exception-tag',
  );
  const shown = response.ok ? createHash('sha256').update(body).digest('hex') : body.toString();
  return `${response.status} ${JSON.stringify(headers)} ${shown}`;
}

it('sends a key with pins the same status, headers and body whatever the rows of others are', async () => {
  const { leaks, succeeded } = await compareOutcomes(
    requests,
    (hidden) => fillTables([database.connection], '', hidden),
    observed,
  );
  process.stdout.write(
    `non-interference over SQL: ${requests.length} statements of seed ${SEED}, ${succeeded} with rows\n`,
  );
  expect(leaks.slice(0, 5)).toEqual([]);
  expect(succeeded).toBeGreaterThan(0.8 * requests.length);
}, 3_600_000);
