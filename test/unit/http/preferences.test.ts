import { preferredTimes } from '../../../src/http/preferences.js';

describe('preferredTimes', () => {
  it.each([
    ['timestamps=unix-micros', 'unix-micros'],
    ['timestamps="unix-micros"', 'unix-micros'],
    ['wait=5, Timestamps=Unix-Micros; x=y', 'unix-micros'],
    ['timestamps=iso', 'iso'],
    ['timestamps=iso, timestamps=unix-micros', 'iso'],
    ['timestamps=seconds', undefined],
    ['timestamps', undefined],
    ['wait=5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %j as %j', (header, times) => {
    expect(preferredTimes(header)).toBe(times);
  });
});
