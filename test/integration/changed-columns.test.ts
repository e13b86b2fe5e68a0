import { concurrently } from '../../src/endpoint/concurrently.js';
import { FORMAT_NAMES, type FormatName } from '../../src/gateway/formats/formats.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { variablesOf } from '../support/demo-database.js';
import { ListeningGateway } from '../support/listening-gateway.js';

const KEY = 'a-key-of-this-test';
const COLUMNS = `columns: { at: "DateTime64(6, 'UTC')", n: UInt32, share: Nullable(Float64), name: LowCardinality(String) }`;
const endpoint = (name: string, id: number, header: string, select: string): string =>
  `/*\nname: ${name}\nid: 61f0c404-5cb3-11e7-907b-c6006ad3db0${id}\nsummary: Of a changed table.\nmaxRows: 2\n${header}\n${COLUMNS}\n*/\n${select}\n`;
const EXPORTS = 'caching: disabled\nsandboxing: enabled\nexports: { maxRows: 100, maxSeconds: 60 }';
const FILES: Readonly<Record<string, string>> = {
  plain: endpoint('plain', 1, EXPORTS, 'SELECT * FROM changed ORDER BY n NULLS FIRST'),
  view: endpoint('view', 2, EXPORTS, 'SELECT * FROM changed_view ORDER BY n NULLS FIRST'),
  pages: endpoint(
    'pages',
    3,
    'caching: disabled\npages: { by: [n] }',
    'SELECT * FROM changed ORDER BY n NULLS FIRST',
  ),
  kept: endpoint(
    'kept',
    4,
    'caching: until-changed',
    'SELECT at, n, share, name FROM changed ORDER BY n NULLS FIRST',
  ),
};

/** At no time is there no table: the gateway analyses its endpoints after it has started. */
const CREATE = [
  `CREATE OR REPLACE TABLE changed (at DateTime64(6, 'UTC'), n UInt32, share Nullable(Float64), name LowCardinality(String)) ENGINE = MergeTree ORDER BY at`,
  `INSERT INTO changed SELECT toDateTime64('2026-01-01 00:00:00', 6, 'UTC') + number, number, number / 4, concat('=', toString(number)) FROM numbers(5)`,
  'CREATE OR REPLACE VIEW changed_view AS SELECT * FROM changed',
];
const view = (select: string): string =>
  `CREATE OR REPLACE VIEW changed_view AS SELECT ${select} FROM changed`;

/** What is done to the table or its view, and what responses are then: what they were, or why they are an error. */
const CHANGES: readonly (readonly [what: string, statements: readonly string[], invalid?: RegExp])[] = [
  [
    'columns added, and in another order',
    [
      'ALTER TABLE changed ADD COLUMN secret UInt8 DEFAULT 1 FIRST, MODIFY COLUMN n UInt32 AFTER name',
      view('name, share, 1 AS also, n, at'),
    ],
  ],
  [
    'types of which the declared ones have every value',
    [
      'ALTER TABLE changed MODIFY COLUMN share Float64 DEFAULT 0, MODIFY COLUMN n Nullable(Int64)',
      view('at, n::UInt16 AS n, share, name::String AS name'),
    ],
  ],
  [
    'a column renamed',
    ['ALTER TABLE changed RENAME COLUMN share TO part', view('at, n, part, name')],
    /share/,
  ],
  [
    'a number in place of a text, and a fraction in place of a number',
    [
      'ALTER TABLE changed MODIFY COLUMN n Float64',
      'ALTER TABLE changed DROP COLUMN name, ADD COLUMN name UInt8',
      view('*'),
    ],
    /n is declared as UInt32, but the query returns Float64; column name is declared as LowCardinality\(String\), but the query returns UInt8/,
  ],
  [
    'a text and nulls',
    ['ALTER TABLE changed MODIFY COLUMN n Nullable(String)', view('*')],
    /n is declared as UInt32, but the query returns Nullable\(String\)/,
  ],
  [
    'a type changed without rows',
    [
      'TRUNCATE TABLE changed',
      'ALTER TABLE changed DROP COLUMN share',
      'ALTER TABLE changed ADD COLUMN share Date',
      view('*'),
    ],
    /share/,
  ],
  ['the table dropped', ['DROP TABLE changed SYNC'], /changed/],
];

interface Received {
  readonly status: number;
  readonly code?: string;
  readonly body: string;
}

describe('after a change of tables under a running gateway', () => {
  const database = useTestDatabase();
  let gateway: ListeningGateway;

  beforeAll(async () => {
    await run(CREATE);
    const { username, password } = database.connection;
    gateway = await ListeningGateway.listen({
      endpoints: FILES,
      environment: {
        ...{ API_KEY: KEY, REQUEST_LOG: 'off' },
        ...variablesOf(database.connection),
        ...{ CLICKHOUSE_VERSIONS_USER: username, CLICKHOUSE_VERSIONS_PASSWORD: password },
      },
    });
  });
  afterAll(() => gateway.close());

  const run = async (statements: readonly string[]): Promise<void> => {
    for (const query of statements) await database.client.command({ query });
  };
  const receive = async (target: string): Promise<Received> => {
    const response = await fetch(`${gateway.url}/api/endpoints/query/${target}`, {
      headers: { 'X-API-KEY': KEY },
    });
    const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
    const { code } = response.status === 200 ? {} : (JSON.parse(body) as { readonly code: string });
    // What the query cost may differ.
    return {
      status: response.status,
      ...(code !== undefined && { code }),
      body: body.replace(/"statistics":.*/, ''),
    };
  };
  const everyCall = (): readonly string[] =>
    FORMAT_NAMES.flatMap((format: FormatName) => [
      ...['plain', 'view', 'pages', 'kept'].map((name) => `${name}?format=${format}`),
      ...['plain', 'view'].map((name) => `${name}?export=1&format=${format}`),
      `plain?times=unix-micros&format=${format}`,
      `plain?format=${format}&sql=${encodeURIComponent('SELECT * FROM result ORDER BY n')}`,
    ]);
  const receiveAll = async (): Promise<ReadonlyMap<string, Received>> => {
    const all = new Map<string, Received>();
    await concurrently(everyCall(), 8, async (target) => {
      all.set(target, await receive(target));
    });
    return all;
  };
  let before: ReadonlyMap<string, Received>;
  beforeAll(async () => {
    before = await receiveAll();
    expect([...before].filter(([, { status }]) => status !== 200)).toEqual([]);
  });

  it.each(CHANGES.map(([what, statements, invalid]) => [what, statements, invalid] as const))(
    '%s: every format has the declared columns, or none has',
    async (_what, statements, invalid) => {
      await run(CREATE);
      const cursor = await nextCursor();
      const second = await receive(`pages?cursor=${cursor}`);
      await run(statements);
      const lines = gateway.logger.lines.length;
      const after = await receiveAll();
      if (invalid === undefined) {
        for (const [target, received] of after)
          expect([target, received]).toEqual([target, before.get(target)]);
        expect(await receive(`pages?cursor=${cursor}`)).toEqual(second);
        return;
      }
      // A result that is kept was read before.
      const isKept = (target: string, { body }: Received): boolean =>
        target.startsWith('kept?') && body === before.get(target)?.body;
      const others = [...after].filter(
        ([target, received]) => received.code !== 'ENDPOINT_INVALID' && !isKept(target, received),
      );
      expect(others).toEqual([]);
      expect(await receive(`pages?cursor=${cursor}`)).toMatchObject({
        status: 500,
        code: 'ENDPOINT_INVALID',
      });
      const logged = gateway.logger.lines
        .slice(lines)
        .filter(({ fields }) => fields['code'] === 'ENDPOINT_INVALID');
      expect(logged.length).toBeGreaterThan(0);
      for (const { fields } of logged) expect(fields['diagnosis']).toMatch(invalid);
    },
  );

  it.each([
    ['a null', 'Nullable(UInt32)', 'NULL'],
    ['too small a number', 'Int64', '-1'],
  ])('%s in a column without: no format has it', async (_what, type, value) => {
    await run([
      ...CREATE,
      `ALTER TABLE changed MODIFY COLUMN n ${type}`,
      `INSERT INTO changed (n) VALUES (${value})`,
    ]);
    const others = [...(await receiveAll())].filter(
      ([target, { code }]) => /^(?:plain|kept)/.test(target) && code !== 'ENDPOINT_INVALID',
    );
    expect(others).toEqual([]);
  });

  const nextCursor = async (): Promise<string> => {
    const response = await fetch(`${gateway.url}/api/endpoints/query/pages`, {
      headers: { 'X-API-KEY': KEY },
    });
    return encodeURIComponent(response.headers.get('x-next-cursor') ?? '');
  };
});
