import { findTimeColumn } from '../../../../src/commands/loading/columns.js';

const find = (type: string, defaultExpression = ''): ReturnType<typeof findTimeColumn> =>
  findTimeColumn([{ name: 'timestamp', type, defaultExpression }]);

describe('findTimeColumn', () => {
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
