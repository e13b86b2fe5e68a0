import { column, jsonColumn } from '../../../src/endpoint/definition.js';
import { defineEndpoint, rowCap, withSettings } from '../../../src/endpoint/endpoint.js';
import { text, timestamp } from '../../../src/endpoint/index.js';
import { Reference, sql, type Sql } from '../../../src/endpoint/sql.js';
import { SAMPLE, sampleEndpoint } from '../../support/sample-endpoint.js';

const description = 'For a test.';

describe('defineEndpoint', () => {
  it('returns the endpoint with its saved query, settings, parameters and columns', () => {
    const endpoint = sampleEndpoint();
    expect(endpoint.savedQuery).toBe('SELECT @city AS city');
    expect(endpoint.settings).toEqual({ maxRows: 10, caching: 60, warming: 0, sandboxing: 'disabled' });
    expect([...endpoint.parameters.keys()]).toEqual(['city']);
    expect([...endpoint.columns.keys()]).toEqual(['city']);
  });

  it('converts the id to lower case', () => {
    expect(sampleEndpoint({ id: 'AAAAAAAA-2222-4333-8444-555555555555' }).id).toBe(
      'aaaaaaaa-2222-4333-8444-555555555555',
    );
  });

  it.each([
    ['an id that is not a UUID', { id: 'sample' }, 'id "sample" must be a UUID'],
    ['an empty name', { name: '' }, 'name "" must be lower-case words'],
    ['a name in upper case', { name: 'Logs.All' }, 'name "Logs.All" must be lower-case words'],
    ['a name with a slash', { name: 'logs/all' }, 'name "logs/all" must be lower-case words'],
    ['a name that ends in a dot', { name: 'logs.' }, 'name "logs." must be lower-case words'],
    [
      'a name that has the form of an id',
      { name: '11111111-2222-4333-8444-555555555555' },
      'name "11111111-2222-4333-8444-555555555555" must not have the form of a UUID',
    ],
    ['a row cap of 0', { maxRows: 0 }, 'maxRows 0 must be a whole number of at least 1'],
    ['a fractional row cap', { maxRows: 1.5 }, 'maxRows 1.5 must be a whole number of at least 1'],
    ['a limit of 0', { limit: 0 }, 'limit 0 must be a whole number of at least 1'],
    ['caching of 0 seconds', { caching: 0 }, 'caching 0 must be "disabled", "until-changed", a whole number'],
    ['negative warming', { warming: -1 }, 'warming -1 must be a whole number of seconds'],
    ['no columns', { columns: {} }, 'columns is an empty object; it must be'],
    ['an example of an undeclared parameter', { example: { town: 'Rome' } }, 'undeclared parameter "town"'],
  ])('rejects %s, and says what is wrong', (_what, change, message) => {
    expect(() => defineEndpoint({ ...SAMPLE, ...change })).toThrow(message);
  });

  it.each([
    ['now', 'parameter "now" has a name that the gateway reserves'],
    ['row_limit', 'parameter "row_limit" has a name that the gateway reserves'],
    ['format', 'parameter "format" has a name that the gateway reserves'],
    ['download', 'parameter "download" has a name that the gateway reserves'],
    ['csv_safe', 'parameter "csv_safe" has a name that the gateway reserves'],
    ['complete', 'parameter "complete" has a name that the gateway reserves'],
    ['City', 'parameter "City" must be made of lower-case letters, digits and underscores'],
    ['2nd', 'parameter "2nd" must be made of'],
    ['a b', 'parameter "a b" must be made of'],
  ])('rejects a parameter named %s', (name, message) => {
    const define = (): unknown =>
      defineEndpoint({
        ...SAMPLE,
        parameters: { [name]: text({ description }) },
        example: {},
        build: () => sql`SELECT 1`,
      });
    expect(define).toThrow(message);
  });

  it('rejects an undeclared parameter in the query, and reports its position', () => {
    const build = ({ town }: Readonly<Record<'town', Reference>>): Sql => sql`SELECT ${town} AS city`;
    const definition = { ...SAMPLE, build } as unknown as typeof SAMPLE;
    expect(() => defineEndpoint(definition)).toThrow('after "SELECT" there is an undeclared parameter');
  });

  it('rejects a plain value in the query', () => {
    const value = 'x' as unknown as Reference;
    expect(() => defineEndpoint({ ...SAMPLE, build: () => sql`SELECT ${value}` })).toThrow(
      'after "SELECT" there is a string',
    );
  });
});

describe('the digest of an endpoint', () => {
  const { digest } = sampleEndpoint();

  it('does not depend on descriptions, tags and settings', () => {
    const changed = { summary: 'Other words.', tags: ['other'], maxRows: 5, caching: 1 };
    expect(sampleEndpoint(changed).digest).toBe(digest);
  });

  it.each([
    ['another query', { build: () => sql`SELECT 'x' AS city` }],
    ['a limit', { limit: 5 }],
    ['another column', { columns: { town: column('String', 'The city.') } }],
    ['another type of a column', { columns: { city: column('LowCardinality(String)', 'The city.') } }],
    ['JSON in a column', { columns: { city: jsonColumn('The city.') } }],
    ['another type of a parameter', { parameters: { city: timestamp({ description }) } }],
  ])('changes with %s', (_what, change) => {
    expect(defineEndpoint({ ...SAMPLE, ...change }).digest).not.toBe(digest);
  });
});

describe('rowCap', () => {
  it('returns the lower of the setting and the endpoint’s own limit', () => {
    const limited = defineEndpoint({ ...SAMPLE, maxRows: 1000, limit: 100 });
    expect(rowCap(limited)).toBe(100);
    expect(rowCap(withSettings(limited, { maxRows: 7 }))).toBe(7);
    expect(rowCap(withSettings(limited, { maxRows: 5000 }))).toBe(100);
    expect(rowCap(sampleEndpoint())).toBe(10);
  });
});

describe('withSettings', () => {
  it('returns an endpoint with the new settings, and does not change the original', () => {
    const endpoint = sampleEndpoint();
    const changed = withSettings(endpoint, { caching: 'disabled' });
    expect(changed.settings).toEqual({ ...endpoint.settings, caching: 'disabled' });
    expect(endpoint.settings.caching).toBe(60);
  });
});
