import {
  chooseEncoding,
  withChosenEncoding,
} from '../../../../../src/gateway/http/result/content-encoding.js';
import type { Bodies, PendingEncodings } from '../../../../../src/gateway/query/endpoint-result.js';
import { sampleResult } from '../../../../support/sample-result.js';

const body = Buffer.from('body');
const ALL: Bodies = { identity: body, gzip: body, br: body };
const SMALL: Bodies = { identity: body };
const pendingIn = (started: string[], compressed?: Buffer): PendingEncodings => ({
  in: (encoding) => {
    started.push(encoding);
    return Promise.resolve(compressed);
  },
  follow: () => undefined,
});

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
    ['GZIP', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['identity, gzip;q=0.5', 'identity'],
    ['*', 'br'],
    ['identity;q=0, *', 'br'],
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

describe('withChosenEncoding', () => {
  it.each([
    ['br, gzip', ['br'], 'br'],
    ['gzip', ['gzip'], 'gzip'],
    [undefined, [], 'identity'],
    ['identity', [], 'identity'],
    ['br;q=0', [], 'identity'],
  ])('for %j compresses only in %j', async (accepted, expected, encoding) => {
    const started: string[] = [];
    const result = sampleResult({
      createdAt: 0,
      bodies: { identity: body, pending: pendingIn(started, Buffer.from('compressed')) },
    });
    const { bodies } = await withChosenEncoding(accepted, result);
    expect(started).toEqual(expected);
    expect(chooseEncoding(accepted, bodies)).toBe(encoding);
  });

  it('compresses nothing where the encoding is ready, although another one is not', async () => {
    const started: string[] = [];
    const br = Buffer.from('ready');
    const bodies = { identity: body, br, pending: pendingIn(started, Buffer.from('compressed')) };
    const result = sampleResult({ createdAt: 0, bodies });
    expect(await withChosenEncoding('br, gzip', result)).toBe(result);
    expect(started).toEqual([]);
    expect((await withChosenEncoding('gzip', result)).bodies).toMatchObject({
      br,
      gzip: Buffer.from('compressed'),
    });
  });

  it('leaves the body as it is where it cannot be compressed', async () => {
    const result = sampleResult({ createdAt: 0, bodies: { identity: body, pending: pendingIn([]) } });
    const { bodies } = await withChosenEncoding('br, gzip', result);
    expect(chooseEncoding('br, gzip', bodies)).toBe('identity');
  });
});
