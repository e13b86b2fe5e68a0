import fc from 'fast-check';

import { bindQuery, type BoundQuery } from '../../../src/endpoint/bind.js';
import type { Values } from '../../../src/endpoint/values.js';
import { NOW } from '../../../src/endpoint/reserved.js';
import { printSavedQuery } from '../../../src/endpoint/saved-query.js';
import {
  all,
  choose,
  is,
  isPinned,
  part,
  Reference,
  sql,
  whenGiven,
  where,
  withParts,
  setting,
  type Sql,
} from '../../../src/endpoint/sql.js';
import { anyText } from '../../support/any-text.js';

const city = new Reference<string>('city', 'String');
const country = new Reference<string>('country', 'String');
const ids = new Reference<readonly string[]>('ids', 'Array(String)');
const AT = new Date('2026-05-17T10:05:03.250Z');

const bind = (body: Sql, values: Readonly<Record<string, string | readonly string[] | null>>): BoundQuery =>
  bindQuery({ parts: [], body }, new Map(Object.entries(values)), new Set(), AT, 11);

describe('bindQuery', () => {
  it('writes a placeholder with the declared type, and binds the value to it', () => {
    const { text, parameters } = bind(sql`SELECT ${city}, ${ids}`, { city: 'Rome', ids: ['a', 'b'] });
    expect(text).toBe('SELECT {city:String}, {ids:Array(String)}\nLIMIT {row_limit:UInt64}');
    expect(parameters).toEqual({ city: 'Rome', ids: ['a', 'b'], row_limit: 11 });
  });

  it('binds an omitted parameter as null', () => {
    const { text, parameters } = bind(sql`SELECT ${city}`, { city: null });
    expect(text).toContain('{city:Nullable(String)}');
    expect(parameters['city']).toBeNull();
  });

  it('binds the current time with microseconds', () => {
    const { text, parameters } = bind(sql`SELECT ${NOW}`, {});
    expect(text).toContain("{now:DateTime64(6, 'UTC')}");
    expect(parameters['now']).toBe('2026-05-17 10:05:03.250000');
  });

  it('does not bind a parameter that the query of this request does not use', () => {
    const body = sql`SELECT 1 ${where(whenGiven(city, sql`city = ${city}`))}`;
    expect(Object.keys(bind(body, { city: null, country: 'IT' }).parameters)).toEqual(['row_limit']);
  });

  it('returns parameters without inherited names such as constructor', () => {
    const { parameters } = bind(sql`SELECT 1`, {});
    expect('constructor' in parameters).toBe(false);
    expect('__proto__' in parameters).toBe(false);
  });

  it('never writes a value into the SQL', () => {
    const body = sql`SELECT ${city} ${where(
      whenGiven(country, sql`country = ${country}`),
      whenGiven(ids, sql`id IN (${ids})`),
    )}`;
    const expected = bind(body, { city: '', country: '', ids: [''] }).text;
    const value = anyText();
    fc.assert(
      fc.property(value, value, fc.array(value), (one, two, list) => {
        const { text, parameters } = bind(body, { city: one, country: two, ids: list });
        expect(text).toBe(expected);
        expect(parameters).toEqual({ city: one, country: two, ids: list, row_limit: 11 });
      }),
    );
  });
});

describe('the filters of tables', () => {
  const level = new Reference<string>('level', 'Int64');
  const tenant = [
    { table: 'logs', column: 'city', reference: city },
    { table: 'logs', column: 'odd `name', reference: level },
    { table: 'db.visits', column: 'city', reference: city },
  ];
  const settingsFor = (values: Values, ...pinned: readonly string[]): BoundQuery['settings'] =>
    bindQuery({ parts: [], body: sql`SELECT 1`, tenant }, values, new Set(pinned), AT, 11).settings;
  const values = new Map([
    ['city', "o'\\x"],
    ['level', '7'],
  ]);

  /** The value is quoted in the condition, and the condition in the setting. */
  const FILTER = "'`city` = CAST(\\'o\\\\\\'\\\\\\\\x\\', \\'String\\')'";

  it('are sent for the parameters that the key pins, with quoted values', () => {
    expect(settingsFor(values, 'city')).toEqual({
      additional_table_filters: `{'logs':${FILTER},'db.visits':${FILTER}}`,
    });
    expect(settingsFor(values, 'level', 'city')?.['additional_table_filters']).toContain(
      " AND `odd \\\\`name` = CAST(\\'7\\', \\'Int64\\')'",
    );
  });

  it('exclude every row where a pinned parameter has no value', () => {
    expect(settingsFor(new Map(), 'level')).toEqual({ additional_table_filters: "{'logs':'false'}" });
  });

  it('are not sent for parameters that the caller chose', () => {
    expect(settingsFor(values)).toBeUndefined();
    expect(settingsFor(values, 'country')).toBeUndefined();
  });
});

describe('setting', () => {
  const withoutProjections = setting('optimize_use_projections', 0);

  it('is sent for the branch that applies only', () => {
    const body = choose([is(city, 'Rome'), sql`SELECT 1${withoutProjections}`], sql`SELECT 2`);
    expect(bind(body, { city: 'Rome' }).settings).toEqual({ optimize_use_projections: 0 });
    expect(bind(body, { city: 'Oslo' }).settings).toBeUndefined();
  });

  it('is one of the optimizer', () => {
    expect(() => setting('max_execution_time', 0)).toThrow('is not a setting of the optimizer');
  });
});

describe('whenGiven', () => {
  const body = sql`SELECT 1 ${where(
    sql`true`,
    whenGiven(city, sql`city = ${city}`),
    whenGiven([city, country], sql`place = concat(${city}, ${country})`),
  )}`;
  const whereOf = (values: Readonly<Record<string, string>>): string | undefined =>
    /WHERE ([^]*)\nLIMIT/.exec(bind(body, values).text)?.[1];

  it('omits the filter if its parameter is omitted', () => {
    expect(whereOf({})).toBe('true');
  });

  it('applies the filter if its parameter is the empty text', () => {
    expect(whereOf({ city: '' })).toBe('true\n  AND city = {city:String}');
  });

  it('applies a filter of several parameters only if all of them have a value', () => {
    expect(whereOf({ country: 'IT' })).toBe('true');
    expect(whereOf({ city: 'Rome', country: 'IT' })).toContain('concat({city:String}, {country:String})');
  });

  it('omits the WHERE if no filter applies', () => {
    const lone = sql`SELECT 1 ${where(whenGiven(city, sql`city = ${city}`))}`;
    expect(bind(lone, {}).text).not.toContain('WHERE');
  });
});

describe('choose', () => {
  const chosen = choose(
    [all(is(city, 'Rome'), is(country, 'IT')), sql`first`],
    [is(city, 'Rome'), sql`second`],
    sql`otherwise`,
  );
  const textOf = (values: Readonly<Record<string, string | null>>): string | undefined =>
    bind(sql`SELECT ${chosen}`, values).text.split('\n')[0];

  it.each([
    [{ city: 'Rome', country: 'IT' }, 'SELECT first'],
    [{ city: 'Rome', country: 'US' }, 'SELECT second'],
    [{ city: 'Rome', country: null }, 'SELECT second'],
    [{ city: 'rome', country: 'IT' }, 'SELECT otherwise'],
    [{ city: null, country: null }, 'SELECT otherwise'],
  ])('for %j writes the first branch whose condition is true', (values, expected) => {
    expect(textOf(values)).toBe(expected);
  });
});

describe('isPinned', () => {
  const body = sql`SELECT ${choose([isPinned(city), sql`pinned`], sql`chosen`)}`;
  const values: Values = new Map([['city', 'Rome']]);
  const textFor = (pinned: ReadonlySet<string>): string =>
    bindQuery({ parts: [], body }, values, pinned, AT, 2).text.split('\n')[0] ?? '';

  it('is true for a parameter that a key pins, and false for a value that the caller chose', () => {
    expect(textFor(new Set(['city']))).toBe('SELECT pinned');
    expect(textFor(new Set(['country']))).toBe('SELECT chosen');
    expect(textFor(new Set())).toBe('SELECT chosen');
  });

  it('is left out of the saved query', () => {
    expect(printSavedQuery({ parts: [], body }, undefined)).toBe('SELECT chosen');
  });
});

describe('withParts', () => {
  it('writes a part that the body uses, and omits a part that it does not use', () => {
    const used = part('used', sql`SELECT ${city} AS city`);
    const unused = part('unused', sql`SELECT ${country} AS country`);
    const values: Values = new Map([['city', 'Rome']]);
    const { text, parameters } = bindQuery(
      withParts([used, unused], sql`SELECT * FROM ${used}`),
      values,
      new Set(),
      AT,
      2,
    );
    expect(text).toBe(
      'WITH\n  used AS (\n    SELECT {city:String} AS city\n  )\nSELECT * FROM used\nLIMIT {row_limit:UInt64}',
    );
    expect(Object.keys(parameters)).toEqual(['city', 'row_limit']);
  });
});
