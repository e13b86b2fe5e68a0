import { RequestJournal, type JournalOptions } from '../../../src/observability/request-log.js';
import type { RequestRecord } from '../../../src/observability/request-record.js';

const record = (requestId: string): RequestRecord => ({
  timestamp: '2026-05-17T10:05:03.000Z',
  request_id: requestId,
  query_id: '',
  endpoint: 'logs.all',
  definition: '',
  parameters: '',
  key_name: 'tester',
  status: 200,
  code: '',
  cache: 'HIT',
  row_count: 1,
  rows_read: 0,
  bytes_read: 0,
  total_ms: 0.1,
  waiting_ms: 0,
  clickhouse_ms: 0,
});

/** A request that was refused for want of a key. */
const withoutKey = (requestId: string, code = 'API_KEY_MISSING'): RequestRecord => ({
  ...record(requestId),
  key_name: '',
  status: 401,
  code,
});

/** A journal, what it has written, batch by batch, and what it told. */
function opened(options: Partial<JournalOptions> = {}) {
  const batches: (readonly string[])[] = [];
  const told: string[] = [];
  const skipped: number[] = [];
  let broken = false;
  const journal = new RequestJournal({
    insert: (records) => {
      if (broken) return Promise.reject(new Error('away'));
      batches.push(records.map(({ request_id }) => request_id));
      return Promise.resolve();
    },
    onChange: (state) => told.push(state),
    onSkipped: (count) => skipped.push(count),
    ...options,
  });
  return { journal, batches, told, skipped, break: (value: boolean) => (broken = value) };
}

describe('the journal of requests', () => {
  it('writes what was noted, in batches, and nothing where nothing was', async () => {
    const { journal, batches } = opened({ batch: 2 });
    await journal.flush();
    expect(batches).toEqual([]);
    for (const id of ['a', 'b', 'c']) journal.note(record(id));
    await journal.flush();
    expect(batches).toEqual([['a', 'b'], ['c']]);
    await journal.flush();
    expect(batches).toHaveLength(2);
  });

  it('drops and counts what does not fit', async () => {
    const { journal, batches } = opened({ maxWaiting: 2 });
    for (const id of ['a', 'b', 'c', 'd']) journal.note(record(id));
    await journal.flush();
    expect([batches, journal.dropped]).toEqual([[['a', 'b']], 2]);
  });

  it('says once that it drops, until all is written', async () => {
    const { journal, told } = opened({ maxWaiting: 2, batch: 1 });
    for (const id of ['a', 'b', 'c', 'd']) journal.note(record(id));
    expect(told).toEqual(['full']);
    const written = journal.flush();
    for (const id of ['e', 'f']) journal.note(record(id));
    expect(told).toEqual(['full']);
    await written;
    expect(told).toEqual(['full', 'writing']);
    for (const id of ['g', 'h', 'i']) journal.note(record(id));
    expect(told).toEqual(['full', 'writing', 'full']);
  });

  it('does not say so where it is known to lose all', async () => {
    const { journal, told, ...clickhouse } = opened({ maxWaiting: 1 });
    clickhouse.break(true);
    journal.note(record('a'));
    await journal.flush();
    for (const id of ['b', 'c']) journal.note(record(id));
    expect(told).toEqual(['failing']);
    await journal.flush();
    await journal.flush();
    expect(told).toEqual(['failing']);
  });

  it('loses a batch that is not taken, says so once, and goes on', async () => {
    const { journal, batches, told, ...clickhouse } = opened();
    clickhouse.break(true);
    for (const id of ['a', 'b']) {
      journal.note(record(id));
      await journal.flush();
    }
    clickhouse.break(false);
    journal.note(record('c'));
    await journal.flush();
    expect([batches, journal.dropped, told]).toEqual([[['c']], 2, ['failing', 'writing']]);
  });

  it('writes a sample of the requests without a key, of each code, and counts the rest', async () => {
    const { journal, batches, skipped } = opened({ maxWithoutKey: 2 });
    for (const id of ['a', 'b', 'c', 'd']) journal.note(withoutKey(id));
    for (const id of ['e', 'f', 'g']) journal.note(withoutKey(id, 'API_KEY_INVALID'));
    for (const id of ['h', 'i', 'j']) journal.note(record(id));
    await journal.flush();
    expect(batches).toEqual([['a', 'b', 'e', 'f', 'h', 'i', 'j']]);
    expect([journal.skipped, skipped, journal.dropped]).toEqual([3, [3], 0]);
  });

  it('begins a new sample after each flush', async () => {
    const { journal, batches, skipped } = opened({ maxWithoutKey: 1 });
    for (const id of ['a', 'b']) journal.note(withoutKey(id));
    await journal.flush();
    await journal.flush();
    for (const id of ['c', 'd', 'e']) journal.note(withoutKey(id));
    await journal.flush();
    expect([batches, journal.skipped, skipped]).toEqual([[['a'], ['c']], 3, [1, 2]]);
  });

  it('keeps room for requests with a key while others come without one', async () => {
    const { journal, batches } = opened({ maxWaiting: 20 });
    for (let n = 0; n < 100_000; n += 1) journal.note(withoutKey(String(n)));
    journal.note(record('mine'));
    await journal.flush();
    expect(batches[0]).toHaveLength(11);
    expect(batches[0]).toContain('mine');
    expect(journal.dropped).toBe(0);
  });

  it('never writes twice at a time', async () => {
    let release = (): void => undefined;
    let writing = 0;
    const { journal } = opened({
      insert: async () => {
        writing += 1;
        await new Promise<void>((resolve) => (release = resolve));
      },
    });
    journal.note(record('a'));
    const first = journal.flush();
    journal.note(record('b'));
    const second = journal.flush();
    expect(writing).toBe(1);
    release();
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await Promise.all([first, second]);
    expect(writing).toBe(2);
  });
});
