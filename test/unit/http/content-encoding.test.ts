import { chooseEncoding } from '../../../src/http/content-encoding.js';
import type { Bodies } from '../../../src/query/endpoint-result.js';

const body = Buffer.from('body');
const ALL: Bodies = { identity: body, gzip: body, br: body };
const SMALL: Bodies = { identity: body };

describe('chooseEncoding', () => {
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
  ])('for %j returns %s', (acceptEncoding, encoding) => {
    expect(chooseEncoding(acceptEncoding, ALL)).toBe(encoding);
  });

  it.each([undefined, 'br', 'gzip', '*', 'identity;q=0, br'])(
    'returns identity for a body without compressed forms, for %j too',
    (acceptEncoding) => {
      expect(chooseEncoding(acceptEncoding, SMALL)).toBe('identity');
    },
  );

  it('returns the same for repeated headers, and for a header too long to be cached', () => {
    const long = `${'x, '.repeat(500)}gzip`;
    for (const header of [long, long, 'gzip', 'gzip']) expect(chooseEncoding(header, ALL)).toBe('gzip');
  });
});
