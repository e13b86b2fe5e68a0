import { areEqualRows } from '../../../../../src/gateway/query/pieces/equal-rows.js';

const areEqual = (one: string, other: string): boolean => areEqualRows(Buffer.from(one), Buffer.from(other));

describe('areEqualRows', () => {
  it.each([
    ['equal bytes', '{"a":1.5}', '{"a":1.5}'],
    [
      'other last digits of a float',
      '{"a":0.30000000000000004,"b":-1e300}',
      '{"a":0.3,"b":-1.0000000000000002e300}',
    ],
  ])('is true for %s', (_what, one, other) => {
    expect(areEqual(one, other)).toBe(true);
  });

  it.each([
    ['another integer', '{"a":9007199254740993}', '{"a":9007199254740992}'],
    ['another float', '{"a":0.3}', '{"a":0.3001}'],
    ['another sign', '{"a":-0.3}', '{"a":0.3}'],
    ['another text', '{"a":0.3,"b":"x"}', '{"a":0.3,"b":"y"}'],
    ['a float more', '[0.3]', '[0.3,0.3]'],
    ['a null', '[0.3]', '[null]'],
  ])('is false for %s', (_what, one, other) => {
    expect(areEqual(one, other)).toBe(false);
  });
});
