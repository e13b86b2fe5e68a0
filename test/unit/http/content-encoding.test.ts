import { chooseEncoding } from '../../../src/http/content-encoding.js';
import type { Bodies } from '../../../src/query/endpoint-result.js';

const body = Buffer.from('body');
const ALL: Bodies = { identity: body, gzip: body, br: body };
const SMALL: Bodies = { identity: body };

describe('the encoding of an answer', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['br', 'br'],
    ['gzip, br', 'br'],
    ['br;q=0.9, gzip', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['br;q=0, *;q=0.5', 'gzip'],
    ['br;q=1.0, *;q=0', 'br'],
    ['identity, *;q=0', 'identity'],
    ['*;q=0', 'identity'],
    ['identity;q=0', 'identity'],
    ['compress', 'identity'],
  ])('for %j is %s', (acceptEncoding, encoding) => {
    expect(chooseEncoding(acceptEncoding, ALL)).toBe(encoding);
  });

  it.each([undefined, 'br', 'gzip', '*', 'identity;q=0, br'])(
    'of a body that was not worth compressing is identity, for %j too',
    (acceptEncoding) => {
      expect(chooseEncoding(acceptEncoding, SMALL)).toBe('identity');
    },
  );

  it('is the same the second time, and for a header too long to be remembered', () => {
    const long = `${'x, '.repeat(500)}gzip`;
    for (const header of [long, long, 'gzip', 'gzip']) expect(chooseEncoding(header, ALL)).toBe('gzip');
  });
});
