import { closestName } from '../../../src/endpoint/closest-name.js';

const KEYS = ['summary', 'caching', 'warming', 'warm', 'maxRows', 'limit', 'limits', 'id', 'name'];

describe('closestName', () => {
  it.each([
    ['a missing letter', 'sumary', 'summary'],
    ['an additional letter', 'cachingg', 'caching'],
    ['another letter', 'cachinc', 'caching'],
    ['two swapped letters', 'nmae', 'name'],
    ['another case', 'MAXROWS', 'maxRows'],
    ['two mistakes in a long name', 'summery_', 'summary'],
    ['the closer of two names', 'limitt', 'limit'],
    ['one mistake in a short name', 'ib', 'id'],
  ])('finds the name with %s', (_what, misspelt, name) => {
    expect(closestName(misspelt, KEYS)).toBe(name);
  });

  it('counts two swapped letters as one mistake', () => {
    expect(closestName('di', ['id'])).toBe('id');
  });

  it.each(['', 'x', 'xy', 'description', 'columns'])('finds none for %j', (misspelt) => {
    expect(closestName(misspelt, ['summary', 'caching', 'name'])).toBeUndefined();
  });

  it.each([
    ['country', 'countries'],
    ['cities', 'city'],
    ['statuses', 'status'],
    ['device', 'devices'],
    ['time', 'timestamp'],
    ['country_code', 'country'],
  ])('finds a plural, a singular, and the only name that begins alike: %s for %s', (misspelt, name) => {
    const names = new Map([
      ['interval', 0],
      [name, 1],
      ['project', 2],
    ]);
    expect(closestName(misspelt, names.keys())).toBe(name);
  });

  it('finds none where several names begin alike', () => {
    expect(closestName('time', ['timestamp_from', 'timestamp_to'])).toBeUndefined();
  });

  it('takes no seconds for a name as long as a request', () => {
    const names = Array.from({ length: 200 }, (_, index) => `parameter_${index}`);
    expect(closestName('x'.repeat(256 * 1024), names)).toBeUndefined();
  });

  it('finds none among no names', () => {
    expect(closestName('summary', [])).toBeUndefined();
  });
});
