import { clockAt, DAY, HOUR, microsOf, printMicros } from '../../support/models/time.js';
import { openEndpoint } from './endpoint-under-test.js';
import { column, messagesOf, record, TABLE } from './logs-all.js';
import { openForAll } from '../../support/opened.js';

const MOMENT = microsOf('2096-03-01T00:00:00Z');

const endpoint = openForAll(() => openEndpoint('logs.all', clockAt(MOMENT)));

const messages = (parameters: Readonly<Record<string, string>>): Promise<readonly unknown[]> =>
  messagesOf(endpoint, parameters);

describe('records of several hours and days', () => {
  const insert = (name: string, count: number, hoursAgo: bigint): Promise<void> =>
    endpoint.database.insert(
      TABLE,
      Array.from({ length: count }, (_, index) =>
        record({
          event_message: name,
          timestamp: printMicros(MOMENT - hoursAgo * HOUR - BigInt(index) * 1000n),
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

  it.each([
    ['a day that has as many rows as are needed', 101, 30, 100],
    ['a day that has one row too few', 100, 30, 100],
    ['a day that has few rows', 20, 30, 50],
    ['a day without rows', 0, 130, 100],
    ['no rows at all', 0, 0, 0],
  ])('are the newest with %s', async (_what, recent, older, expected) => {
    await endpoint.fill(TABLE, []);
    await insert('recent', recent, 1n);
    await insert('older', older, 60n);
    for (const [parameters, hoursLater] of [
      [{}, 0n],
      [{ iso_timestamp_end: printMicros(MOMENT) }, 0n],
      [{ iso_timestamp_end: printMicros(MOMENT + 5n * DAY) }, 0n],
      [{ iso_timestamp_end: printMicros(MOMENT) }, 48n],
    ] as const) {
      const { rows, truncated } = await endpoint.run(
        { project: 'aurora', project_tier: 'PRO', ...parameters },
        clockAt(MOMENT + hoursLater * HOUR),
      );
      const found = column(rows, 'event_message');
      expect({ length: found.length, truncated }).toEqual({
        length: expected,
        truncated: recent + older > 100,
      });
      expect(found.filter((message) => message === 'recent')).toHaveLength(Math.min(recent, 100));
    }
  });

  it('are all read that have the time of the last row, on either side of the day that is read first', async () => {
    await endpoint.fill(TABLE, []);
    const tied = (count: number, timestamp: bigint): Promise<void> =>
      endpoint.database.insert(
        TABLE,
        Array.from({ length: count }, (_, index) =>
          record({
            id: `00000000-0000-0000-0000-${String(999 - index).padStart(12, '0')}`,
            event_message: `${999 - index}`,
            timestamp: printMicros(timestamp),
          }),
        ),
      );
    await tied(50, MOMENT - DAY + 1n);
    await tied(80, MOMENT - DAY);
    await tied(80, MOMENT - DAY - 1n);
    const smallest = (count: number, length: number): readonly string[] =>
      Array.from({ length }, (_, index) => `${1000 - count + index}`);
    expect(await messages({ project_tier: 'PRO' })).toEqual([...smallest(50, 50), ...smallest(80, 50)]);
    const end = printMicros(MOMENT - DAY);
    expect(await messages({ project_tier: 'PRO', iso_timestamp_end: end })).toEqual([
      ...smallest(80, 80),
      ...smallest(80, 20),
    ]);
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
    const end = printMicros(MOMENT - HOUR - 280_000n);
    const found = await messages({ iso_timestamp_end: end });
    expect(found.filter((message) => message === 'new')).toHaveLength(20);
    expect(found).toHaveLength(100);
  });
});
