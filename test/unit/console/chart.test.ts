import { LosslessNumber } from 'lossless-json';

import { chartData, stacked, type ResultChart } from '../../../console/src/model/chart-data.js';
import { chartableOf } from '../../../console/src/model/chartable.js';
import type { Cell, Column, Row } from '../../../console/src/model/endpoint.js';

const column = (name: string, type: string): Column => ({ name, type, description: '' });
const n = (value: number | string): Cell => new LosslessNumber(String(value));

const TIME = column('at', "DateTime('UTC')");
const HOUR = 3600;
/** Seconds since 1970. */
const START = Date.parse('2026-05-17T00:00:00Z') / 1000;
const timeOf = (seconds: number): string => new Date((START + seconds) * 1000).toISOString();

/** The chart of some columns of rows, by default of all numbers. */
function chartOf(
  columns: readonly Column[],
  rows: readonly Row[],
  chosen?: readonly string[],
  split = '',
): ResultChart | undefined {
  const chartable = chartableOf(columns, rows);
  return chartable && chartData(rows, chartable, chosen ?? chartable.numbers, { split });
}

describe('chart data', () => {
  const columns = [TIME, column('city', 'Nullable(String)'), column('hits', 'UInt64')];
  const row = (day: number, city: string | null, hits: number): Row => ({
    at: timeOf((day - 17) * 24 * HOUR),
    city,
    hits: n(hits),
  });
  const rows = [row(17, 'Bonn', 1), row(17, null, 2), row(18, 'Bonn', 4)];

  it('adds up rows of the same time, with a note', () => {
    expect(chartableOf(columns, rows)).toEqual({ time: 'at', numbers: ['hits'], splits: ['city'] });
    const data = chartOf(columns, rows);
    expect(data?.lines).toMatchObject([{ name: 'hits', values: [3, 4] }]);
    expect(data?.note).toContain('are added');
  });

  it('has a line for each value of the split column, with gaps for missing rows', () => {
    expect(chartOf(columns, rows, ['hits'], 'city')).toMatchObject({
      lines: [
        { name: 'Bonn', values: [1, 4] },
        { name: 'null', values: [2, null] },
      ],
      note: '',
    });
  });

  it('notes that values are added where rows of one split value share a time', () => {
    const path = column('path', 'String');
    const shared = [...rows, row(18, 'Bonn', 8)].map((one, index) => ({ ...one, path: String(index) }));
    const data = chartOf([...columns, path], shared, ['hits'], 'city');
    expect(data?.lines[0]).toMatchObject({ name: 'Bonn', values: [1, 12] });
    expect(data?.note).toBe('Values of rows with the same time are added.');
  });

  it('adds the values beyond the seventh in one line, and notes it', () => {
    const cities = Array.from({ length: 9 }, (_, index) => `city ${index}`);
    const many = cities.flatMap((city) => [row(17, city, 1), row(18, city, 2)]);
    const data = chartOf(columns, many, ['hits'], 'city');
    expect(data?.lines[7]).toMatchObject({ name: 'all others', values: [2, 4] });
    expect(data?.note).toBe('Values of rows with the same time are added in “all others”.');
  });

  it('keeps all digits of values and sums', () => {
    const huge = [
      { ...row(17, 'Bonn', 0), hits: n('9007199254740993') },
      { ...row(17, 'Kiel', 0), hits: n('9007199254740993') },
      { ...row(18, 'Bonn', 0), hits: n('1e300') },
    ];
    expect(chartOf(columns, huge)?.lines[0]?.texts).toEqual(['18014398509481986', '1e300']);
  });

  it('reads times that are microseconds', () => {
    const micros = [0, 1].map((day) => ({ at: n((START + day * 86_400) * 1e6), hits: n(1) }));
    expect(chartOf(columns, micros)?.times).toEqual([START, START + 86_400]);
  });

  it('has a line for null beside that of the text of this name', () => {
    const named = [row(17, 'null', 1), row(17, null, 2), row(18, null, 4)];
    expect(chartOf(columns, named, ['hits'], 'city')?.lines.map(({ values }) => values)).toEqual([
      [2, 4],
      [1, null],
    ]);
  });

  it('has dates, which are the same in every zone', () => {
    const days = [17, 18].map((day) => ({ day: `2026-05-${day}`, hits: n(1) }));
    const shown = (type: string): unknown =>
      chartableOf([column('day', type), column('hits', 'UInt64')], days);
    expect(shown('Nullable(Date32)')).toMatchObject({ isDate: true });
    expect(shown('DateTime')).not.toHaveProperty('isDate');
  });

  it('is undefined without a time column, a number, or a second time', () => {
    expect(chartableOf(columns.slice(1), rows)).toBeUndefined();
    expect(chartableOf(columns.slice(0, 2), rows)).toBeUndefined();
    expect(chartableOf(columns, rows.slice(0, 2))).toBeUndefined();
  });
});

describe('gaps', () => {
  const columns = [TIME, column('hits', 'Nullable(UInt64)')];
  const at = (times: readonly number[]): readonly Row[] =>
    times.map((seconds) => ({ at: timeOf(seconds), hits: n(1) }));
  const valuesAt = (times: readonly number[]): unknown => chartOf(columns, at(times))?.lines[0]?.values;

  it('are where buckets are missing, and where a value is null', () => {
    const rows = at([0, 1, 2, 5, 6].map((hour) => hour * HOUR));
    const withNull = rows.map((row, index) => (index === 1 ? { ...row, hits: null } : row));
    const data = chartOf(columns, withNull);
    expect(data?.lines[0]?.values).toEqual([1, null, 1, null, 1, 1]);
    expect(data?.times[3]).toBe(START + 3 * HOUR);
  });

  it('are where most buckets are missing', () => {
    expect(valuesAt([0, 1, 5, 9, 15].map((hour) => hour * HOUR))).toEqual([
      ...[1, 1, null, 1, null, 1, null, 1],
    ]);
  });

  it('are not between months of different length, nor where clocks change', () => {
    const days = (...counts: readonly number[]): readonly number[] => counts.map((day) => day * 24 * HOUR);
    expect(valuesAt(days(0, 31, 59, 90, 151))).toEqual([1, 1, 1, 1, null, 1]);
    expect(valuesAt([0, 24, 47, 71, 96].map((hour) => hour * HOUR))).toEqual([1, 1, 1, 1, 1]);
  });

  it('are not between events, which have no buckets', () => {
    expect(valuesAt([0, 1, 7, 100, 4000])).toEqual([1, 1, 1, 1, 1]);
    const name = column('sensor', 'String');
    const rows = at([0, 1.5, 7.25, 30]).map((row, index) => ({ ...row, sensor: index % 2 ? 'a' : 'b' }));
    const last = { at: timeOf(30), hits: n(1), sensor: 'b' };
    const data = chartOf([...columns, name], [...rows, last], ['hits'], 'sensor');
    expect(data?.lines.map(({ values }) => values)).toEqual([
      [1, undefined, 1, 1],
      [undefined, 1, undefined, 1],
    ]);
  });
});

describe('series of different magnitude', () => {
  const sides = (...heights: readonly number[]): readonly boolean[] => {
    const names = heights.map((_height, index) => `n${index}`);
    const rows = [0, HOUR].map((seconds) => ({
      at: timeOf(seconds),
      ...Object.fromEntries(names.map((name, index) => [name, n(heights[index] ?? 0)])),
    }));
    const data = chartOf([TIME, ...names.map((name) => column(name, 'Float64'))], rows);
    return (data?.lines ?? []).map(({ isRight }) => isRight ?? false);
  };

  it('have two axes where one would be flat beside another', () => {
    expect(sides(20e6, 0.1)).toEqual([false, true]);
    expect(sides(0.2, 20e6, 0, -0.1, 5e6)).toEqual([true, false, false, true, false]);
  });

  it('share an axis up to a factor of a hundred', () => {
    expect(sides(100, 1)).toEqual([false, false]);
    expect(sides(0, 5)).toEqual([false, false]);
  });
});

describe('records', () => {
  const events = (count: number, more: (index: number) => Row): readonly Row[] =>
    Array.from({ length: count }, (_, index) => ({
      at: timeOf(index * index * 0.713),
      ms: n(index),
      ...more(index),
    }));
  const columns = (...more: readonly Column[]): readonly Column[] => [TIME, column('ms', 'Float64'), ...more];

  it('have no chart where each has an id of its own', () => {
    const rows = events(3, (index) => ({ request_id: `r${index}` }));
    expect(chartOf(columns(column('request_id', 'String')), rows)).toBeUndefined();
  });

  it('have no chart where several share a time, and no column tells them apart', () => {
    const rows = ['GET', 'GET', 'PUT'].map((method) => ({ at: timeOf(0), ms: n(1), method }));
    const later = { at: timeOf(HOUR), ms: n(1), method: 'GET' };
    expect(chartOf(columns(column('method', 'String')), [...rows, later])).toBeUndefined();
  });

  it('have no chart where they are about many things', () => {
    const rows = events(20, (index) => ({ path: `/${index % 9}` }));
    expect(chartOf(columns(column('path', 'String')), rows)).toBeUndefined();
  });

  it('are not the rows of groups, which a column tells apart, and measurements', () => {
    const groups = [200, 404, 500].flatMap((status) =>
      [0, HOUR].map((seconds) => ({ at: timeOf(seconds), ms: n(1), status: n(status) })),
    );
    const status = column('status', 'UInt16');
    expect(chartableOf(columns(status), groups)).toEqual({ time: 'at', numbers: ['ms'], splits: ['status'] });
    const byId = [0, HOUR].map((seconds) => ({ at: timeOf(seconds), ms: n(1), user_id: n(seconds) }));
    expect(chartableOf(columns(column('user_id', 'UInt64')), byId)).toBeDefined();
    expect(
      chartableOf(
        columns(),
        events(20, () => ({})),
      ),
    ).toBeDefined();
  });
});

describe('a bucket of which only a part is known', () => {
  const dashedOf = (
    times: readonly number[],
    options: Parameters<typeof chartData>[3],
  ): readonly [unknown, string] | undefined => {
    const rows = times.map((seconds) => ({ at: timeOf(seconds), hits: n(1) }));
    const chartable = chartableOf([TIME, column('hits', 'UInt64')], rows);
    if (!chartable) return undefined;
    const { dashed, dashedNote } = chartData(rows, chartable, ['hits'], options);
    return [dashed, dashedNote];
  };
  const HOURS = [0, HOUR, 2 * HOUR];
  const isOpen = (times: readonly number[], now: number): unknown =>
    dashedOf(times, { now: START + now })?.[0];

  it('is the last one where the result was current before its end', () => {
    const found = [2 * HOUR, 3 * HOUR - 1, 3 * HOUR, 2 * HOUR - 1].map((now) => isOpen(HOURS, now));
    expect(found).toEqual([['last'], ['last'], [], []]);
  });

  it('has all days of its month', () => {
    // From May 1st; the last is July.
    const months = [-16, 15, 45].map((day) => day * 24 * HOUR);
    expect([76, 75.5].map((day) => isOpen(months, day * 24 * HOUR))).toEqual([[], ['last']]);
  });

  it('is the first or the last one where the range begins or ends within it', () => {
    const between = (from: number, to: number): unknown =>
      dashedOf(HOURS, { from: START + from, to: START + to });
    expect(between(0, 3 * HOUR)).toEqual([[], '']);
    expect(between(60, 3 * HOUR - 60)).toEqual([
      ['first', 'last'],
      'Dashed: the range begins within the first bucket, and the range ends within the last bucket.',
    ]);
    expect(between(-60, 4 * HOUR)).toEqual([[], '']);
  });

  it('is the one of the row beyond which a page has others, where its time is not its own', () => {
    const cut = (hours: readonly number[]): unknown => {
      const rows = hours.map((at, index) => ({ at: timeOf(at * HOUR), host: `h${index}`, hits: n(1) }));
      const chartable = chartableOf([TIME, column('host', 'String'), column('hits', 'UInt64')], rows);
      return chartable && chartData(rows, chartable, ['hits'], { edges: rows.slice(-1) }).dashedNote;
    };
    expect(cut([0, 0, 1, 1, 2])).toBe('Dashed: the last bucket has more rows than these.');
    expect(cut([2, 1, 1, 0])).toBe('Dashed: the first bucket has more rows than these.');
    expect(cut([0, 1, 2])).toBe('');
  });
});

describe('lines upon each other', () => {
  it('have the values of those before them, and gaps where no line has a value', () => {
    const lines = [
      { name: 'a', values: [1, null, null] },
      { name: 'b', values: [2, 3, null] },
    ];
    expect(stacked(lines).map(({ values }) => values)).toEqual([
      [1, 0, null],
      [3, 3, null],
    ]);
  });
});
