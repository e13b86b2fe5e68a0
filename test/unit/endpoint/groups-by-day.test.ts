import { bindSandboxedQuery } from '../../../src/endpoint/bind-sandboxed.js';
import { bindQuery } from '../../../src/endpoint/bind.js';
import { column } from '../../../src/endpoint/definition.js';
import { defineEndpoint } from '../../../src/endpoint/endpoint.js';
import { equalTo, groupsByDay, hasValue, keyOf } from '../../../src/endpoint/groups-by-day.js';
import { printSavedQuery } from '../../../src/endpoint/saved-query.js';
import {
  choose,
  FIRST_ROWS,
  isOmitted,
  matches,
  Reference,
  sql,
  where,
  type Condition,
  type Sql,
} from '../../../src/endpoint/sql.js';
import { wholeDays } from '../../../src/endpoint/whole-days.js';
import { SAMPLE } from '../../support/sample-endpoint.js';
import { referenceEndpoints } from '../../support/reference-project.js';

const city = new Reference<string>('city', 'String');
const country = new Reference<string>('country', 'String');
const start = new Reference<string>('start', 'DateTime64(6)');
const end = new Reference<string>('end', 'DateTime64(6)');
const NO_PINNED: ReadonlySet<string> = new Set();

const bind = (body: Sql, values: Readonly<Record<string, string | null>>, pinned = NO_PINNED): string =>
  bindQuery({ parts: [], body }, new Map(Object.entries(values)), pinned, new Date(0), 11).text;
const print = (body: Sql): string => printSavedQuery({ parts: [], body }, undefined);
const isTrue = (condition: Condition, values: Readonly<Record<string, string | null>>): boolean =>
  bind(choose([condition, sql`yes`], sql`no`), values).startsWith('yes');

describe('isOmitted', () => {
  it('is true if none of the parameters has a value; the empty text is a value', () => {
    expect(isTrue(isOmitted(city, country), {})).toBe(true);
    expect(isTrue(isOmitted(city, country), { city: null, country: null })).toBe(true);
    expect(isTrue(isOmitted(city, country), { city: null, country: 'IT' })).toBe(false);
    expect(isTrue(isOmitted(city), { city: '' })).toBe(false);
  });

  it('is printed as IS NULL', () => {
    expect(print(choose([isOmitted(city, country), sql`1`], sql`2`))).toContain(
      'WHEN @city IS NULL AND @country IS NULL THEN 1',
    );
  });
});

describe('matches', () => {
  it('is true if the parameter has a value and the pattern matches it', () => {
    expect(isTrue(matches(city, /^R/), { city: 'Rome' })).toBe(true);
    expect(isTrue(matches(city, /^R/), { city: 'rome' })).toBe(false);
    expect(isTrue(matches(city, /(?:)/), { city: null })).toBe(false);
  });

  it('is printed as match(), with backslashes and quotes escaped', () => {
    expect(print(choose([matches(city, /\d'/), sql`1`], sql`2`))).toContain(
      "WHEN match(@city, '\\\\d\\'') THEN 1",
    );
  });
});

describe('wholeDays', () => {
  const days = wholeDays(start, end);
  const inside = (values: Record<string, string>): string => bind(where(...days.inside(sql`day`)), values);
  const rest = (values: Record<string, string>): string => bind(where(...days.rest(sql`at`)), values);
  const isWhole = (values: Record<string, string>): boolean => days.only.some((one) => isTrue(one, values));

  it.each([
    [{}, true],
    [{ start: '2026-01-01 00:00:00.000000' }, true],
    [{ end: '2026-01-01 23:59:59.999999' }, true],
    [{ start: '2026-01-01 00:00:00.000000', end: '2026-01-01 23:59:59.999999' }, true],
    [{ start: '2026-01-01 00:00:00.000001' }, false],
    [{ end: '2026-01-01 00:00:00.000000' }, false],
    [{ end: '2026-01-01 23:59:59.999998' }, false],
    [{ start: '2026-01-01 23:59:59.999999' }, false],
    [{ start: '2026-01-01 00:00:00.000000', end: '2026-01-02 12:00:00.000000' }, false],
  ])('finds only whole days in the range %j: %s', (values, expected) => {
    expect(isWhole(values)).toBe(expected);
  });

  it('bounds the whole days by the ends that have a value', () => {
    expect(inside({})).toMatch(/^\nLIMIT/);
    expect(inside({ start: 'x' })).toContain(
      'day > toDate32({start:DateTime64(6)} - INTERVAL 1 MICROSECOND)',
    );
    expect(inside({ start: 'x' })).not.toContain('{end');
    expect(inside({ end: 'x' })).toContain('day < toDate32({end:DateTime64(6)} + INTERVAL 1 MICROSECOND)');
  });

  it('selects the records of the incomplete days at the ends', () => {
    expect(rest({ start: 'x' })).toMatch(/at >= \{start:[^]*AND toDate32\(at\) <= toDate32\(\{start:/);
    expect(rest({ start: 'x' })).not.toContain('{end');
    expect(rest({ end: 'x' })).toMatch(/at <= \{end:[^]*AND toDate32\(at\) >= toDate32\(\{end:/);
    expect(rest({ start: 'x', end: 'y' })).toMatch(/\(toDate32\(at\) <= [^]* OR toDate32\(at\) >= /);
  });
});

describe('keyOf', () => {
  it('writes the empty text for null, and = and the value otherwise', () => {
    expect(print(keyOf('city'))).toBe("ifNull('=' || city, '')");
    expect(print(hasValue('city', city))).toBe("ifNull('=' || city, '') = '=' || @city");
  });
});

describe('the name of a table or column', () => {
  const options = {
    table: 'events',
    groups: { city: { type: 'Nullable(String)' } },
    filters: [],
    range: { start, end },
  };

  it.each(['', '1st', 'a b', 'a-b', 'a; DROP TABLE b', "a'", 'a.b', 'a)', 'é'])(
    'is rejected if it is %j, which is not an identifier',
    (name) => {
      expect(() => groupsByDay(options)).not.toThrow();
      expect(() => groupsByDay({ ...options, table: name })).toThrow(TypeError);
      expect(() => groupsByDay({ ...options, groups: { [name]: { type: 'Nullable(String)' } } })).toThrow(
        TypeError,
      );
      expect(() => equalTo({ [name]: city })).toThrow(TypeError);
      expect(() => keyOf(name)).toThrow(TypeError);
    },
  );
});

describe('FIRST_ROWS', () => {
  const body = sql`SELECT * FROM (SELECT 1 ${FIRST_ROWS})`;

  it('is the row limit of the request', () => {
    expect(bind(body, {})).toContain('(SELECT 1 LIMIT {row_limit:UInt64})');
  });

  it('is left out of the saved query and of the rows that a caller’s own SQL reads', () => {
    expect(print(body)).not.toContain('LIMIT');
    const endpoint = defineEndpoint({
      ...SAMPLE,
      parameters: {},
      columns: { city: column('String', 'The city.') },
      example: {},
      build: () => body,
    });
    const select = { text: 'SELECT count() FROM result', reads: ['result'] };
    const { text } = bindSandboxedQuery(endpoint, select, new Map(), NO_PINNED, new Date(0), 11);
    expect(text.match(/LIMIT \{row_limit:UInt64\}/g)).toHaveLength(1);
    expect(text).toMatch(/LIMIT \{row_limit:UInt64\}$/);
  });
});

describe('usage.api-counts', () => {
  const countsByHours = async (project: string, pinned = NO_PINNED): Promise<boolean> => {
    const endpoint = (await referenceEndpoints()).find('usage.api-counts');
    if (!endpoint) throw new Error('there is no endpoint usage.api-counts');
    const values = new Map([
      ['project', project],
      ['interval', 'daily'],
    ]);
    return bindQuery(endpoint.query, values, pinned, new Date(0), 11).text.includes('UNION ALL');
  };

  it.each([
    'aurora',
    '^https://a',
    '(?i)a|b',
    '[^/]+',
    'a\\.b',
    '\\\\b',
    '\\\\\\.',
    '\\$',
    '\\d\\D\\s\\S\\w\\W',
    '\\_',
    'a\nb',
    'é',
  ])('counts hours by origin for %j, which asserts nothing about the text that follows', async (project) => {
    expect(await countsByHours(project)).toBe(true);
  });

  it.each([
    ...[
      'a$',
      '[$]',
      '(?m)$',
      'a\\b',
      'a\\B',
      'a\\z',
      'a\\Z',
      '\\Aa',
      '\\Qa$\\E',
      '\\Qa\\E',
      '\\\\\\b',
      '\\x24',
    ],
    ...['\\x{24}', '\\pL', '\\p{L}', '\\44', '\\é', 'a\\', '\\', '\\C', '\\n', '$', 'a$\n', 'a|b$'],
  ])('tests every URL for %j', async (project) => {
    expect(await countsByHours(project)).toBe(false);
  });

  it('counts by hours for a project that a key pins, whatever its name', async () => {
    expect(await countsByHours('a$', new Set(['project']))).toBe(true);
  });
});
