import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';

import { neededGrants } from '../../src/commands/grants/needed-grants.js';
import { introspectTable } from '../../src/commands/introspect/introspect.js';
import { tableFile } from '../../src/commands/cli/load/table-file.js';
import { inferColumns, type Sample } from '../../src/commands/loading/infer-columns.js';
import { loadFile } from '../../src/commands/loading/load-file.js';
import { quoteText } from '../../src/endpoint/quote-sql.js';
import { readSqlEndpoint } from '../support/read-sql-endpoint.js';
import { FORMATS, type FormatName } from '../../src/gateway/formats/formats.js';
import { checkSqlFile } from '../support/check-sql-file.js';
import { ROOT } from '../support/documentation.js';
import { readRows } from '../support/read-formats.js';
import { SettableClock } from '../support/settable-clock.js';
import { versionedEndpoint, VersionedServer, type VersionedGateway } from '../support/versioned-gateway.js';

/** Every name that SQL of the gateway and its commands gives something: a new one is among them. */
function ownNames(): readonly string[] {
  const files = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(path.join(ROOT, 'src', file), 'utf8'));
  const all = texts.join('\n');
  const constants = new Map(
    [...all.matchAll(/const (\w+) = '(\w+)'/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const aliases = [...all.matchAll(/\bAS (?:\$\{(\w+)\}|`?([A-Za-z_]\w*))/g)].map(
    ([, constant, name]) => name ?? constants.get(constant ?? ''),
  );
  const marked = [...all.matchAll(/'(_*querygate_[a-z_]*[a-z]|_key_mark)'/g)].map(([, name]) => name);
  const found = [...aliases, ...marked, 'result'].flatMap((name) =>
    name === undefined ? [] : [name.toLowerCase(), name],
  );
  return [...new Set(found)].filter((name) => !/^t$|^(?:gateway_requests|querygate_calls)/.test(name)).sort();
}

const NAMES = ownNames();
/** What stands where an endpoint is read. */
const TABLE = 'result_rows';
const KEY = { 'X-API-KEY': 'a key of every caller' };
const time = new SettableClock();
const ROWS = Array.from({ length: 72 }, (_, hour) => ({
  t: new Date(Date.UTC(2026, 0, 1, hour)).toISOString().replace('.000Z', 'Z'),
  ...Object.fromEntries(NAMES.map((name, index) => [name, `v${hour}-${index % 3}`])),
}));

const yaml = (name: string): string => JSON.stringify(name);
const COLUMNS = NAMES.map((name) => `${yaml(name)}: String`).join(', ');
const SELECTED = NAMES.map((name) => `\`${name}\``).join(', ');
const RANGE = `parameters:
  row: { kind: timestamp, required: true, description: The begin. }
  key: { kind: timestamp, required: true, description: The end. }
MORE
example: { row: 2026-01-01T00:00:00Z, key: 2026-01-04T00:00:00Z }`;
const WHERE = `WHERE t >= @row AND t < @key [[ AND \`row\` = @result_rows ]]`;

/** The text of endpoints whose names, tables, columns and parameters are ours. */
const ENDPOINTS: Readonly<Record<string, string>> = {
  row: versionedEndpoint(
    'row',
    1,
    `${RANGE.replace('MORE', '  result_rows: { kind: string, description: A text. }')}
columns: { t: "DateTime64(3, 'UTC')", ${COLUMNS} }
pages: { by: [t, ${NAMES.slice(0, 6).map(yaml).join(', ')}, row, _querygate_key, result_rows] }
maxRows: 50
exports: { maxRows: 1000, maxSeconds: 10 }
sandboxing: enabled`,
    `SELECT t, ${SELECTED} FROM ${TABLE} ${WHERE}`,
  ),
  ...Object.fromEntries(
    ['row', '_querygate_key', 'result_rows', 'key'].map((bucket, index) => [
      `key.${index}`,
      versionedEndpoint(
        `key.${index}`,
        index + 2,
        `${RANGE.replace('MORE\n', '')}
columns: { ${bucket}: "DateTime('UTC')", groups: UInt64 }
pieces: { table: ${TABLE}, time: t, bucket: ${bucket}, from: row, to: key }`,
        `SELECT toStartOfHour(toDateTime(t, 'UTC')) AS \`${bucket}\`, count() AS groups FROM ${TABLE} WHERE t >= @row AND t < @key GROUP BY 1 ORDER BY 1`,
      ),
    ]),
  ),
};

let server: VersionedServer;
let gateway: VersionedGateway;
let report: { readonly loaded: number; readonly rejected: number };

beforeAll(async () => {
  server = await VersionedServer.start();
  const createTable = async (sample: Sample): Promise<void> => {
    const columns = await inferColumns(server.admin, sample, false);
    const query = tableFile(TABLE, columns, 'a.ndjson')
      .replace('ENGINE = MergeTree', 'ENGINE = MergeTree PARTITION BY toDate(t)')
      .replace(
        /ORDER BY .*;/s,
        'ORDER BY t SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1',
      );
    await server.run(query);
  };
  report = await loadFile({
    ...{ client: server.admin, table: TABLE, source: '-', format: 'ndjson', shiftToNow: false },
    ...{ now: new Date(), createTable, stdin: Readable.from([Buffer.from(JSON.stringify(ROWS))]) },
  });
  gateway = await server.openGateway(ENDPOINTS, { clock: time.clock, environment: { SQL_PORT: '0' } });
}, 120_000);

afterAll(async () => {
  await gateway.close();
  await server.stop();
}, 120_000);

const ALL = 'row=2026-01-01T00:00:00Z&key=2026-01-04T00:00:00Z';
const bodyOf = async (target: string): Promise<{ readonly headers: Headers; readonly body: Buffer }> => {
  const response = await fetch(`${gateway.gateway.url}/api/endpoints/query/${target}`, { headers: KEY });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${response.status} ${body.toString()}`);
  return { headers: response.headers, body };
};
const valuesOf = (row: Readonly<Record<string, unknown>>): unknown[] => NAMES.map((name) => row[name]);
const VALUES = ROWS.map(valuesOf);

it('finds the names in the source', () => {
  expect(NAMES).toEqual(
    expect.arrayContaining(['result_rows', '_querygate_key', 'row', 'key', 'groups', '__querygate_lines']),
  );
  expect(NAMES.length).toBeGreaterThan(60);
});

it('loads a file with such columns into a table with such a name', () => {
  expect(report).toMatchObject({ loaded: 72, rejected: 0 });
});

it.each((Object.keys(FORMATS) as FormatName[]).filter((name) => 'cut' in FORMATS[name]))(
  'returns such columns page by page as %s',
  async (format) => {
    const found: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { headers, body } = await bodyOf(
        `row?${ALL}&format=${format}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      found.push(...(await readRows(format, body)).map(valuesOf));
      cursor = headers.get('x-next-cursor');
    }
    expect(found).toEqual(VALUES);
  },
);

it('exports them, and filters by a parameter with such a name', async () => {
  const exported = await bodyOf(`row?${ALL}&format=ndjson&export=1`);
  const found = (await readRows('ndjson', exported.body)).map((row) => valuesOf(row).join());
  expect(found.sort()).toEqual(VALUES.map((row) => row.join()).sort());
  const [row] = valuesOf(ROWS[3] ?? {}).slice(NAMES.indexOf('row'));
  const target = `row?${ALL}&result_rows=${String(row)}`;
  expect((await gateway.get(target)).rows).toHaveLength(1);
});

it('reads them with a caller’s own SQL', async () => {
  const sql = `SELECT ${SELECTED} FROM result ORDER BY t LIMIT 2`;
  const { body } = await bodyOf(`row?${ALL}&sql=${encodeURIComponent(sql)}`);
  expect((await readRows('json', body)).map(valuesOf)).toEqual(VALUES.slice(0, 2));
});

it('composes pieces whose bucket has such a name', async () => {
  for (const name of Object.keys(ENDPOINTS).filter((one) => one.startsWith('key.'))) {
    const caches: (string | null)[] = [];
    for (const hour of [0, 1, 2, 3]) {
      time.advance(2000);
      const { rows, cache } = await gateway.get(
        `${name}?row=2026-01-01T0${hour}:00:00Z&key=2026-01-04T00:00:00Z`,
      );
      expect(rows).toHaveLength(72 - hour);
      caches.push(cache);
    }
    expect([name, caches.at(-1)]).toEqual([name, 'PARTIAL']);
  }
});

it('checks and introspects them, and finds their grants', async () => {
  const connection = server.server.adminConnection;
  const tools = { client: server.admin, now: () => new Date(), signal: new AbortController().signal };
  const { file } = await introspectTable(tools, connection.database, 'row', TABLE);
  for (const text of [file.text, ...Object.values(ENDPOINTS)]) {
    const { faults } = await checkSqlFile(server.admin, text);
    expect(faults).toEqual([]);
  }
  const endpoints = Object.values(ENDPOINTS).map(readSqlEndpoint);
  const { grants, problems } = await neededGrants(connection, endpoints);
  expect(problems).toEqual([]);
  expect(JSON.stringify(grants)).toContain(TABLE);
});

it('reads them again after a change', async () => {
  expect((await gateway.get(`row?${ALL}&result_rows=v3-9`)).rows).toEqual([]);
  await server.run(`INSERT INTO ${TABLE} (t, row) VALUES ('2026-01-02 00:00:00', 'v3-9')`);
  time.advance(10_000);
  expect((await gateway.get(`row?${ALL}&result_rows=v3-9`)).rows).toHaveLength(1);
});

it('creates and reads tables whose columns are keywords of ClickHouse', async () => {
  const words = await server.rows(
    `SELECT DISTINCT lower(arrayJoin(splitByRegexp('[^A-Za-z_]+', keyword))) AS word FROM system.keywords WHERE word != '' ORDER BY word`,
  );
  const names = words.map(({ word }) => String(word));
  expect(names).toEqual(expect.arrayContaining(['all', 'index', 'not', 'primary', 'timestamp']));
  const text = { type: 'String', use: 'category', distinct: 1, isMoney: false } as const;
  const files = names.map((name) => tableFile(name, [{ name, ...text }], 'a.csv'));
  await server.rows(
    `SELECT formatQuery(text) FROM (SELECT arrayJoin([${files.map(quoteText).join()}]) AS text)`,
  );
  const tools = { client: server.admin, now: () => new Date(), signal: new AbortController().signal };
  const { database } = server.server.adminConnection;
  // A header has at most some hundreds of columns.
  for (const half of [names.slice(0, names.length / 2), names.slice(names.length / 2)]) {
    const [table = ''] = half;
    const columns = half.map((name) => ({ name, ...text }));
    await server.run(tableFile(table, columns, 'a.csv'));
    const { file } = await introspectTable(tools, database, 'words', table);
    expect((await checkSqlFile(server.admin, file.text)).faults).toEqual([]);
  }
});
