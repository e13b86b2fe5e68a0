import { findTimeColumn, isInRange } from '../../../../src/commands/loading/time-column.js';

const find = (type: string, defaultExpression = ''): ReturnType<typeof findTimeColumn> =>
  findTimeColumn([{ name: 'timestamp', type, defaultExpression }]);

describe('findTimeColumn', () => {
  it.each(['String', 'UInt64', 'Array(DateTime)'])('finds none of the type %s', (type) => {
    expect(find(type)).toBeUndefined();
  });

  it('finds none of another name', () => {
    expect(findTimeColumn([{ name: 'created', type: 'DateTime', defaultExpression: '' }])).toBeUndefined();
  });

  it.each([
    ['Date', [1970, 2148]],
    ['Date32', [1900, 2298]],
    ["DateTime('Europe/Berlin')", [1970, 2105]],
    ['LowCardinality(Nullable(DateTime))', [1970, 2105]],
    ["DateTime64(6, 'UTC')", [1900, 2299]],
    ['DateTime64(9)', [1900, 2261]],
  ])('of the type %s stores whole years', (type, years) => {
    expect(find(type)).toMatchObject({ years });
  });

  it.each([
    ['DateTime', '', true],
    ['DateTime', 'now()', true],
    ["DateTime64(6, 'UTC')", "now64(6, 'UTC')", true],
    ['DateTime', 'parseDateTimeBestEffort(text)', false],
    ['Nullable(DateTime)', '', false],
  ])('of the type %s with the default %j must be in each line: %s', (type, defaultExpression, isRequired) => {
    expect(find(type, defaultExpression)).toMatchObject({ isRequired });
  });
});

describe('isInRange', () => {
  const time = find('DateTime64(3)');
  if (!time) throw new Error('no time column');

  it.each([
    [BigInt(Date.UTC(1900, 0, 1)) * 1000n, true],
    [BigInt(Date.UTC(1900, 0, 1)) * 1000n - 1n, false],
    [BigInt(Date.UTC(2300, 0, 1)) * 1000n - 1n, true],
    [BigInt(Date.UTC(2300, 0, 1)) * 1000n, false],
  ])('of %s is %s', (micros, expected) => {
    expect(isInRange(time, micros)).toBe(expected);
  });
});
