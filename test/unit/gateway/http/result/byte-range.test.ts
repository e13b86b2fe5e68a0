import { byteRangeIn } from '../../../../../src/gateway/http/result/byte-range.js';

describe('byteRangeIn', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-', 0, 99],
    ['bytes=10-19', 10, 19],
    ['bytes=99-', 99, 99],
    ['bytes=90-1000', 90, 99],
    ['bytes=0-99999999999999999999999999', 0, 99],
    ['bytes=-1', 99, 99],
    ['bytes=-8', 92, 99],
    ['bytes=-1000', 0, 99],
    ['BYTES=1-2', 1, 2],
    ['bytes= 1-2 ', 1, 2],
  ])('reads %s of 100 bytes', (header, first, last) => {
    expect(byteRangeIn(header, 100)).toEqual({ first, last });
  });

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0', 'bytes=9999999999999999999999-'])(
    'cannot satisfy %s of 100 bytes',
    (header) => {
      expect(byteRangeIn(header, 100)).toBe('unsatisfiable');
    },
  );

  it.each(['bytes=0-', 'bytes=-1', 'bytes=5-6'])('leaves an empty body whole for %s', (header) => {
    expect(byteRangeIn(header, 0)).toBeUndefined();
  });

  it.each([
    undefined,
    '',
    'bytes=',
    'bytes=-',
    'bytes=2-1',
    'bytes=0-1,3-4',
    'bytes=0-1,',
    'rows=0-1',
    'bytes=a-b',
    'bytes=1.5-2',
    'bytes 0-1',
    'bytes=+1-2',
  ])('leaves the body whole for %s', (header) => {
    expect(byteRangeIn(header, 100)).toBeUndefined();
  });
});
