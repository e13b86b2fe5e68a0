import { closestName } from '../../../../src/clickhouse/loading/closest-name.js';

const COLUMNS = ['id', 'project', 'timestamp', 'status_code', 'level', 'url'];

describe('closestName', () => {
  it.each([
    ['projekt', 'project'],
    ['Timestamp', 'timestamp'],
    ['timestmp', 'timestamp'],
    ['statusCode', 'status_code'],
    ['levle', 'level'],
    ['urls', 'url'],
  ])('finds for %s the column %s', (misspelt, column) => {
    expect(closestName(misspelt, COLUMNS)).toBe(column);
  });

  it.each(['ip', 'ts', 'message', 'code', '', 'a'.repeat(100)])('finds nothing for %j', (name) => {
    expect(closestName(name, COLUMNS)).toBeUndefined();
  });

  it('prefers the closest of several', () => {
    expect(closestName('colour', ['color', 'colours', 'colour_'])).toBe('color');
    expect(closestName('colours_', ['color', 'colours'])).toBe('colours');
  });
});
