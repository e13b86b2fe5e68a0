import { wholeNumber } from '../../../bench/whole-number.js';

it('wholeNumber accepts only whole numbers from 1', () => {
  expect(wholeNumber('200')).toBe(200);
  for (const invalid of ['0', '-1', '1.5', '1e3', 'x', '', '99999999999999999999']) {
    expect(() => wholeNumber(invalid)).toThrow('whole number from 1');
  }
});
