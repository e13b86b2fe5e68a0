import { cachingText, readCaching, writtenCaching, type Caching } from '../../../src/endpoint/caching.js';

describe('caching', () => {
  it.each([
    [60, 60, 'cached for 60 s'],
    ['disabled', 'disabled', 'not cached'],
    ['until-changed', 'until-changed', 'cached until the data changes, of which it is at most 1 s late'],
    [
      { untilChanged: true },
      'until-changed',
      'cached until the data changes, of which it is at most 1 s late',
    ],
    [
      { untilChanged: true, check: 10 },
      { untilChanged: true, check: 10, atMost: 86_400 },
      'cached until the data changes, of which it is at most 10 s late',
    ],
  ] as const)('is read from %j, written as %j, and described as %s', (given: Caching, written, text) => {
    const settings = readCaching(given);
    expect(writtenCaching(settings)).toEqual(written);
    expect(cachingText(settings)).toBe(text);
  });

  it('is replaced as a whole by a setting of the deployment', () => {
    const until = readCaching({ untilChanged: true, check: 10 });
    expect({ ...until, ...readCaching(60) }).toEqual({ caching: 60, untilChanged: undefined });
  });
});
