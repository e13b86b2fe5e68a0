import { LosslessNumber } from 'lossless-json';

import type { Column, Row } from '../../../console/src/model/endpoint.js';
import { isOrdered, kindIn, shapeOf } from '../../../console/src/model/result-shape.js';
import { topBars } from '../../../console/src/model/top-bars.js';

const columnsOf = (types: Readonly<Record<string, string>>): readonly Column[] =>
  Object.entries(types).map(([name, type]) => ({ name, type, description: '' }));
const n = (value: number | string): LosslessNumber => new LosslessNumber(String(value));
const kindsOf = (types: Readonly<Record<string, string>>, rows: readonly Row[]): readonly string[] =>
  shapeOf(columnsOf(types), rows).kinds;

describe('the ways to show a result', () => {
  const hours = (values: readonly number[]): readonly Row[] =>
    values.map((value, hour) => ({ at: `2026-05-17T0${hour}:00:00Z`, hits: n(value) }));

  it('are heights upon each other only where no number is negative', () => {
    const types = { at: 'DateTime', hits: 'Int64' };
    expect(kindsOf(types, hours([1, 2]))).toEqual(['line', 'bars', 'stacked', 'table']);
    expect(kindsOf(types, hours([1, -2]))).toEqual(['line', 'table']);
  });

  it('begin with the rows where there are more of them, which nobody may add up', () => {
    const columns = columnsOf({ at: 'DateTime', hits: 'Int64' });
    expect(shapeOf(columns, hours([1, 2]), true).kinds).toEqual(['table', 'line', 'bars', 'stacked']);
  });

  it('begin with the numbers of a single row, but not with many of them', () => {
    const many = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`n${index}`, n(index)]));
    const types = Object.fromEntries(Object.keys(many).map((name) => [name, 'UInt64']));
    expect(kindsOf({ hits: 'UInt64' }, [{ hits: n(1) }])).toEqual(['number', 'table']);
    expect(kindsOf(types, [many])).toEqual(['table']);
  });

  it('are a log where rows have a time and a message, also where the time is that of each record', () => {
    const rows = [{ timestamp: n(1), event_message: 'started', severity_text: 'INFO' }];
    const types = { timestamp: 'DateTime64(6)', event_message: 'String', severity_text: 'String' };
    expect(shapeOf(columnsOf(types), rows)).toMatchObject({
      kinds: ['log', 'table'],
      log: { time: 'timestamp', message: 'event_message', level: 'severity_text' },
    });
    expect(kindsOf({ at: 'DateTime', dialogue: 'String' }, rows)).toEqual(['table']);
  });

  it('are bars where rows have labels, and numbers that name nothing', () => {
    const rows = [
      { city: 'Bonn', account_id: n(1) },
      { city: 'Kiel', account_id: n(2) },
    ];
    expect(kindsOf({ city: 'String', account_id: 'UInt64' }, rows)).toEqual(['table']);
    expect(kindsOf({ city: 'String', visits: 'UInt64' }, rows)).toEqual(['bars', 'table']);
    const [bonn, kiel] = [
      { city: 'Bonn', balance: n(-5), n: n(1) },
      { city: 'Kiel', balance: n(2), n: n(1) },
    ];
    const shape = shapeOf(columnsOf({ city: 'String', balance: 'Int64', n: 'UInt8' }), [bonn, kiel]);
    expect(shape.rankable).toEqual({ labels: ['city'], numbers: ['n'] });
  });

  it('are a table of cohorts where the first two columns name what a row is about, one of them with small whole numbers', () => {
    const grid = (row: (index: number) => Row): readonly Row[] => [0, 1, 2, 3].map(row);
    const cohorts = { cohort: 'Date', week: 'UInt16', users: 'UInt64' };
    const ofWeek = (index: number): Row => ({
      ...{ cohort: `2026-05-0${1 + (index >> 1)}`, week: n(index & 1), users: n(index) },
    });
    expect(kindsOf(cohorts, grid(ofWeek))).toEqual(['pivot', 'table']);
    expect(
      kindsOf(
        cohorts,
        grid((index) => ({ ...ofWeek(index), week: n(5000 + index) })),
      ),
    ).toEqual(['table']);
    const levels = { level: 'UInt8', country: 'String', users: 'UInt64' };
    const ofLevel = (index: number): Row => ({ level: n(index >> 1), country: `c${index & 1}`, users: n(1) });
    expect(shapeOf(columnsOf(levels), grid(ofLevel))).toMatchObject({
      kinds: ['bars', 'pivot', 'table'],
      rankable: { labels: ['level', 'country'], numbers: ['users'] },
    });
    // Where one country has one row, the first column measures it.
    const ofCountry = (index: number): Row => ({ ...ofLevel(index), country: `c${index}` });
    expect(shapeOf(columnsOf(levels), grid(ofCountry))).toMatchObject({
      kinds: ['bars', 'table'],
      rankable: { labels: ['country'], numbers: ['level', 'users'] },
    });
  });

  it('are bars of the steps of a funnel, whose numbers measure nothing, and no table of single cells', () => {
    const rows = ['view', 'cart', 'pay'].map((step, index) => ({
      level: n(index + 1),
      step,
      users: n(9 - index),
    }));
    expect(shapeOf(columnsOf({ level: 'UInt8', step: 'String', users: 'UInt64' }), rows)).toMatchObject({
      kinds: ['bars', 'table'],
      rankable: { labels: ['step', 'level'], numbers: ['users'] },
    });
    const visits = { country: 'String', visits: 'UInt64', amount: 'UInt64' };
    const alike = ['DE', 'FR', 'IT'].map((country) => ({ country, visits: n(7), amount: n(1000) }));
    expect(kindsOf(visits, alike)).toEqual(['bars', 'table']);
  });

  it('are named by a view, unless the result is not good for that one', () => {
    const shape = shapeOf(columnsOf({ hits: 'UInt64' }), [{ hits: n(1) }]);
    expect([kindIn({ as: 'table' }, shape), kindIn({ as: 'stacked' }, shape), kindIn({}, shape)]).toEqual([
      ...['table', 'number', 'number'],
    ]);
  });
});

describe('bars', () => {
  it('have exact sums, the highest first, and names for null and the empty text', () => {
    const rows = [
      { city: null, hits: n('9007199254740993') },
      { city: null, hits: n('9007199254740993') },
      { city: '', hits: n(2) },
      { city: 'Bonn', hits: null },
    ];
    const { bars, isSum } = topBars(rows, 'city', 'hits');
    expect(bars.map(({ label, value, text }) => [label, value, text])).toEqual([
      ['null', undefined, '18014398509481986'],
      ['empty', '', '2'],
    ]);
    expect(isSum).toBe(true);
  });

  it('tell null from the text of that name', () => {
    const rows = [null, 'null'].map((city) => ({ city, hits: n(1) }));
    expect(topBars(rows, 'city', 'hits')).toMatchObject({
      bars: [{ label: 'null' }, { label: 'null', value: 'null' }],
      isSum: false,
    });
  });

  it('have the order of the rows where these have one, and the others last', () => {
    const rows = Array.from({ length: 12 }, (_, index) => ({ step: `s${index}`, hits: n(index % 6) }));
    const labels = (isOrdered: boolean): readonly string[] =>
      topBars(rows, 'step', 'hits', isOrdered).bars.map(({ label }) => label);
    expect(labels(true)).toEqual([
      ...['s1', 's2', 's3', 's4', 's5', 's7', 's8', 's9', 's10', 's11', '2 others'],
    ]);
    expect(labels(false).slice(0, 3)).toEqual(['s5', 's11', 's4']);
  });

  it.each([
    ['SELECT a FROM t ORDER BY a LIMIT 3', true],
    ['WITH top AS (SELECT 1) SELECT a FROM t order\n by a', true],
    ['SELECT a FROM (SELECT a FROM t ORDER BY (a)) GROUP BY a', false],
    ["SELECT sum(a) OVER (ORDER BY b), ') ORDER BY' FROM t -- ORDER BY a", false],
  ])('have an order where %j has one outside of parentheses', (query, expected) => {
    const rankable = { labels: ['a'], numbers: [] };
    expect(isOrdered({ query }, undefined, rankable)).toBe(expected);
    expect(isOrdered({ query: '' }, query, rankable)).toBe(expected);
  });

  it('have the order of pages that begins with their label, but not with SQL of the caller', () => {
    const paged = { query: 'SELECT level, hits FROM t', pages: { by: ['level desc', 'city'] } };
    const ordered = ['level', 'city'].map((label) =>
      isOrdered(paged, undefined, { labels: [label], numbers: ['hits'] }),
    );
    expect(ordered).toEqual([true, false]);
    expect(isOrdered(paged, 'SELECT level FROM result', { labels: ['level'], numbers: [] })).toBe(false);
  });

  it('leave no single one out', () => {
    const rows = (count: number): readonly Row[] =>
      Array.from({ length: count }, (_, index) => ({ city: `c${index}`, hits: n(index) }));
    expect(topBars(rows(11), 'city', 'hits').bars).toHaveLength(11);
    expect(topBars(rows(12), 'city', 'hits').bars.at(-1)).toMatchObject({
      label: '2 others',
      text: '1',
      isRest: true,
    });
  });
});
