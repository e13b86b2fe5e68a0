import { bindSandboxedQuery } from '../../../src/endpoint/bind-sandboxed.js';
import { bindQuery } from '../../../src/endpoint/bind.js';
import { column } from '../../../src/endpoint/definition.js';
import { defineEndpoint } from '../../../src/endpoint/endpoint.js';
import { printSavedQuery } from '../../../src/endpoint/saved-query.js';
import {
  choose,
  FIRST_ROWS,
  isOmitted,
  matches,
  Reference,
  sql,
  type Condition,
  type Sql,
} from '../../../src/endpoint/sql.js';
import { SAMPLE } from '../../support/sample-endpoint.js';
import { referenceEndpoints } from '../../support/reference-project.js';

const city = new Reference<string>('city', 'String');
const country = new Reference<string>('country', 'String');
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
