import { clockAt, DAY, microsOf, printMicros } from '../../support/models/time.js';
import { openEndpoint, type EndpointUnderTest, type Row } from './endpoint-under-test.js';

const TABLE = 'edge_logs';
const NOW = microsOf('2096-03-01T00:00:30.500Z');

let endpoint: EndpointUnderTest;

beforeAll(async () => {
  endpoint = await openEndpoint('logs.all', clockAt(NOW));
});
afterAll(() => endpoint.close());

const record = (fields: object): object => ({ project: 'aurora', timestamp: '2096-03-01', ...fields });

const column = (rows: readonly Row[], name: string): readonly unknown[] => rows.map((row) => row[name]);

/** Fills the table with records whose event_message says what is special about their time. */
const fillNamed = (times: Readonly<Record<string, bigint>>): Promise<void> =>
  endpoint.fill(
    TABLE,
    Object.entries(times).map(([event_message, time]) =>
      record({ event_message, timestamp: printMicros(time) }),
    ),
  );

const messages = async (parameters: Readonly<Record<string, string>>): Promise<readonly unknown[]> =>
  column(await endpoint.rows({ project: 'aurora', ...parameters }), 'event_message');

describe('rows', () => {
  it('returns id, timestamp, message and metadata, and nothing else', async () => {
    await endpoint.fill(TABLE, [
      record({
        id: '0F1E2D3C-4b5a-6978-8796-a5b4c3d2e1f0',
        timestamp: '2096-02-29T23:59:59.000120Z',
        event_message: 'GET "/" → 200\n\t\\',
        metadata: { request: { url: 'https://aurora.example/' } },
      }),
    ]);
    const { text } = await endpoint.run({ project: 'aurora' });
    expect(text).toBe(
      '{"result":[{"id":"0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0","timestamp":"2096-02-29T23:59:59.000120Z",' +
        '"event_message":"GET \\"/\\" → 200\\n\\t\\\\","metadata":{"request":{"url":"https://aurora.example/"}}}]}',
    );
  });

  it('generates an id for a record without one', async () => {
    await endpoint.fill(TABLE, [record({}), record({})]);
    const ids = column(await endpoint.rows({ project: 'aurora' }), 'id');
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){4}[0-9a-f]{8}$/);
  });

  it('returns only edge request logs', async () => {
    const others = [
      'database',
      'function_relay',
      'function_event',
      'auth',
      'realtime',
      'storage',
      'rest',
      'pooler',
    ];
    for (const other of others) await endpoint.fill(`${other}_logs`, [record({ event_message: other })]);
    await endpoint.fill(TABLE, [record({ event_message: 'edge' })]);
    expect(await messages({})).toEqual(['edge']);
    await endpoint.fill(TABLE, []);
    expect(await messages({})).toEqual([]);
  });

  it('returns only the records of the project', async () => {
    const projects = ['aurora', 'Aurora', 'aurora ', '', 'auror', "'", 'au%'];
    await endpoint.fill(
      TABLE,
      projects.map((project) => record({ project, event_message: project })),
    );
    for (const project of projects) expect(await messages({ project })).toEqual([project]);
  });

  it('rejects a call without a project', async () => {
    await expect(endpoint.rows({ project_tier: 'PRO' })).rejects.toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { problems: [{ param: 'project', problem: 'is required' }] },
    });
  });

  it('returns a body of valid UTF-8 for a message and metadata that are not valid UTF-8', async () => {
    await endpoint.fill(TABLE, []);
    await endpoint.database.client.command({
      query: `
        INSERT INTO ${TABLE} (project, timestamp, event_message, metadata)
        SELECT 'aurora', '2096-03-01', unhex('61FF62C328'), concat('{"a":"', unhex('FE'), '"}')`,
    });
    expect(await endpoint.rows({ project: 'aurora' })).toMatchObject([
      { event_message: 'a\ufffdb\ufffd(', metadata: { raw: '{"a":"\ufffd"}' } },
    ]);
  });
});

describe('order and limit', () => {
  const minutesAgo = (minutes: number): string => printMicros(NOW - BigInt(minutes) * 60_000_000n);

  it('returns the newest first, in whatever order they were inserted', async () => {
    await fillNamed({ b: NOW - 2n, d: NOW - DAY / 2n, a: NOW - 1n, c: NOW - 3n });
    expect(await messages({})).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each([99, 100, 101, 250])(
    'returns at most 100 of %d records, the newest, and reports whether it truncated',
    async (count) => {
      const records = Array.from({ length: count }, (_, index) =>
        record({ timestamp: minutesAgo(index), event_message: String(index) }),
      );
      await endpoint.fill(TABLE, records.reverse());
      const { rows, truncated } = await endpoint.run({ project: 'aurora' });
      const newest = Array.from({ length: Math.min(count, 100) }, (_, index) => String(index));
      expect(column(rows, 'event_message')).toEqual(newest);
      expect(truncated).toBe(count > 100);
    },
  );

  it('breaks ties by the other columns, so that the same records yield the same rows', async () => {
    const tied = Array.from({ length: 150 }, (_, index) => {
      const id = `00000000-0000-0000-0000-${String(100 + (index % 30)).padStart(12, '0')}`;
      return record({ id, event_message: `m${(index * 7) % 5}`, metadata: { n: index } });
    });
    await endpoint.fill(TABLE, tied);
    const first = await endpoint.run({ project: 'aurora' });
    await endpoint.fill(TABLE, []);
    for (const half of [tied.slice(40), tied.slice(0, 40)]) {
      await endpoint.database.insert(TABLE, half.reverse());
    }
    const again = await endpoint.run({ project: 'aurora' });
    expect(again.text).toBe(first.text);
    expect(again.truncated).toBe(true);
  });

  it('breaks ties when the row cap falls among rows with the same time', async () => {
    const newer = Array.from({ length: 60 }, (_, index) => record({ timestamp: minutesAgo(index) }));
    const tied = Array.from({ length: 80 }, (_, index) =>
      record({
        timestamp: minutesAgo(60),
        id: `00000000-0000-0000-0000-${String(900 - index).padStart(12, '0')}`,
        event_message: 'tied',
      }),
    );
    await endpoint.fill(TABLE, [...tied, ...newer]);
    const rows = await endpoint.rows({ project: 'aurora' });
    const ids = column(rows.slice(60), 'id').map((id) => Number(String(id).slice(-12)));
    expect(ids).toEqual(Array.from({ length: 40 }, (_, index) => 821 + index));
  });
});

describe('records of several hours', () => {
  const hour = 3_600_000_000n;
  const insert = (name: string, count: number, hoursAgo: bigint): Promise<void> =>
    endpoint.database.insert(
      TABLE,
      Array.from({ length: count }, (_, index) =>
        record({
          event_message: name,
          timestamp: printMicros(NOW - hoursAgo * hour - BigInt(index) * 1000n),
        }),
      ),
    );

  it('are read from the newest backwards until the row cap is reached', async () => {
    await endpoint.fill(TABLE, []);
    await insert('old', 150, 9n);
    await insert('middle', 60, 5n);
    await insert('new', 30, 1n);
    const found = await messages({});
    expect(found).toHaveLength(100);
    for (const [name, count] of Object.entries({ new: 30, middle: 60, old: 10 })) {
      expect(found.filter((message) => message === name)).toHaveLength(count);
    }
  });

  it('are read without deleted records', async () => {
    await endpoint.fill(TABLE, []);
    await insert('old', 150, 9n);
    await insert('new', 300, 1n);
    await endpoint.database.client.command({
      query: `ALTER TABLE ${TABLE} DELETE WHERE event_message = 'new' SETTINGS mutations_sync = 2`,
    });
    expect(await messages({})).toEqual(Array.from({ length: 100 }, () => 'old'));
  });

  it('are read up to an end time that is not a full hour', async () => {
    await endpoint.fill(TABLE, []);
    await insert('old', 150, 9n);
    await insert('new', 300, 1n);
    // The oldest 20 of the 300, which are a millisecond apart.
    const end = printMicros(NOW - hour - 280_000n);
    const found = await messages({ iso_timestamp_end: end });
    expect(found.filter((message) => message === 'new')).toHaveLength(20);
    expect(found).toHaveLength(100);
  });
});

describe('project_tier', () => {
  it.each([
    ['FREE', '1'],
    ['PRO', '7'],
    ['PAYG', '90'],
    ['ENTERPRISE', '90'],
    ['free', '1'],
    ['Pro', '1'],
    ['payg', '1'],
    ['enterprise', '1'],
    ['PRO ', '1'],
    ['TEAM', '1'],
    ['', '1'],
    [undefined, '1'],
  ])('%j returns records less than %s days old', async (tier, days) => {
    const cutoff = NOW - BigInt(days) * DAY;
    await fillNamed({
      cutoff,
      older: cutoff - 1n,
      'just newer': cutoff + 1n,
      now: NOW,
      later: NOW + DAY,
    });
    const parameters = tier === undefined ? {} : { project_tier: tier };
    expect(await messages(parameters)).toEqual(['later', 'now', 'just newer']);
  });
});

describe('iso_timestamp_start and iso_timestamp_end', () => {
  const BOUND = microsOf('2096-02-29T10:05:03.123456Z');

  beforeAll(() => fillNamed({ before: BOUND - 1n, at: BOUND, after: BOUND + 1n }));

  it.each([
    '2096-02-29T10:05:03.123456Z',
    '2096-02-29 10:05:03.123456',
    '2096-02-29T12:05:03.123456+02:00',
    '2096-02-29T10:05:03.1234567Z',
  ])('with %s select records after the start, up to and including the end', async (bound) => {
    expect(await messages({ iso_timestamp_start: bound })).toEqual(['after']);
    expect(await messages({ iso_timestamp_end: bound })).toEqual(['at', 'before']);
    expect(await messages({ iso_timestamp_start: bound, iso_timestamp_end: bound })).toEqual([]);
  });

  it('together select the records between them', async () => {
    const [start, end] = [printMicros(BOUND - 1n), printMicros(BOUND)];
    expect(await messages({ iso_timestamp_start: start, iso_timestamp_end: end })).toEqual(['at']);
  });

  it('filter nothing if they are empty', async () => {
    expect(await messages({ iso_timestamp_start: '', iso_timestamp_end: '' })).toHaveLength(3);
  });

  it('never reach beyond the retention', async () => {
    await fillNamed({ old: NOW - DAY - 1n });
    expect(await messages({ iso_timestamp_start: '1900-01-01' })).toEqual([]);
    expect(await messages({ iso_timestamp_start: '1900-01-01', project_tier: 'PRO' })).toEqual(['old']);
  });

  it.each(['now', '2096-02-30', ' ', '2300-01-01'])(
    'are both named in the error when their value is %j',
    async (wrong) => {
      const parameters = { project: 'aurora', iso_timestamp_start: wrong, iso_timestamp_end: wrong };
      await expect(endpoint.rows(parameters)).rejects.toMatchObject({
        code: 'INVALID_PARAMETERS',
        details: { problems: [{ param: 'iso_timestamp_start' }, { param: 'iso_timestamp_end' }] },
      });
    },
  );
});
