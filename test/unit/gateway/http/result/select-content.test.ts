import type { IncomingHttpHeaders } from 'node:http';

import {
  readyToSend,
  selectContent,
  byteRangeIn,
  allowsEntityTag,
  entityTag,
  isSameEntity,
  matchesEntityTag,
  type RangedResult,
} from '../../../../../src/gateway/http/result/select-content.js';
import type { Bodies, Compressed } from '../../../../../src/gateway/query/endpoint-result.js';
import { sampleEndpoint } from '../../../../support/sample-endpoint.js';
import { sampleResult } from '../../../../support/sample-result.js';

const endpoint = sampleEndpoint({ caching: 60 });
const IDENTITY = Buffer.alloc(900);
const ENCODED = { gzip: Buffer.alloc(90), br: Buffer.alloc(80) };

/** A body of 900 bytes whose encodings are pending; `started` gets those that somebody waits for. */
const pendingBodies = (started: Compressed[] = []): Bodies => ({
  identity: IDENTITY,
  pending: {
    in: (encoding) => {
      started.push(encoding);
      return Promise.resolve(ENCODED[encoding]);
    },
    follow: () => undefined,
  },
});
const ranged = (bodies: Bodies, maxRangedBytes: number): RangedResult => ({
  endpoint,
  result: sampleResult({ createdAt: 0, bodies }),
  maxRangedBytes,
});
const select = (headers: IncomingHttpHeaders, method = 'GET'): ReturnType<typeof selectContent> =>
  selectContent({ method, headers }, ranged({ identity: IDENTITY, ...ENCODED }, 10_000));

describe('the bytes that are compressed before a response', () => {
  const started = async (headers: IncomingHttpHeaders): Promise<readonly Compressed[]> => {
    const encodings: Compressed[] = [];
    const { result } = ranged(pendingBodies(encodings), 10_000);
    await readyToSend(headers, result);
    return encodings;
  };

  it('are those of the encoding that the client prefers', async () => {
    expect(await started({ 'accept-encoding': 'gzip' })).toEqual(['gzip']);
  });

  it('are none for a range, which has no encoding', async () => {
    expect(await started({ 'accept-encoding': 'gzip', range: 'bytes=0-1' })).toEqual([]);
  });
});

describe('whether ranges of a result are possible', () => {
  it.each([
    [899, false],
    [900, true],
  ])(
    'is the same before and after its encodings are ready, for at most %i bytes: %s',
    async (maxBytes, takes) => {
      const before = ranged(pendingBodies(), maxBytes);
      const ready = await readyToSend({}, before.result);
      const after = {
        ...before,
        result: sampleResult({ createdAt: 0, bodies: { identity: IDENTITY, ...ENCODED } }),
      };
      for (const each of [{ ...before, result: ready }, after]) {
        expect(selectContent({ method: 'GET', headers: {} }, each).takesRanges).toBe(takes);
      }
    },
  );
});

describe('If-Match', () => {
  const tagOf = (encoding: string): string => select({ 'accept-encoding': encoding }).tag;

  it.each(['GET', 'HEAD', 'POST'])(
    'chooses the accepted encoding with the tag that it names, for %s',
    (method) => {
      for (const range of [undefined, 'bytes=0-1,5-6', 'x']) {
        const accepting = { 'accept-encoding': 'gzip, br', range };
        for (const encoding of ['identity', 'gzip', 'br']) {
          const selected = select({ ...accepting, 'if-match': tagOf(encoding) }, method);
          expect([selected.encoding, selected.range]).toEqual([encoding, undefined]);
        }
      }
    },
  );

  it('chooses the encoding with its tag before that is ready', () => {
    const headers = { 'accept-encoding': 'gzip, br', 'if-match': tagOf('gzip') };
    const pending = ranged({ ...pendingBodies(), br: ENCODED.br }, 10_000);
    expect(selectContent({ method: 'GET', headers }, pending).encoding).toBe('gzip');
  });

  it('names the bytes without an encoding for a range of them', () => {
    const headers = { 'accept-encoding': 'gzip', range: 'bytes=0-1' };
    expect(select({ ...headers, 'if-match': tagOf('identity') })).toMatchObject({
      encoding: 'identity',
      range: { first: 0, last: 1 },
    });
    expect(select({ ...headers, 'if-match': tagOf('gzip') })).toMatchObject({
      encoding: 'gzip',
      range: undefined,
    });
  });

  it.each(['GET', 'HEAD', 'POST'])(
    'is not met by the tag of an encoding that is not accepted, for %s',
    (method) => {
      const headers = { 'accept-encoding': 'gzip', 'if-match': tagOf('br') };
      expect(() => select(headers, method)).toThrow('If-Match');
    },
  );
});

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

describe('an entity tag', () => {
  it('is strong and differs for each encoding', () => {
    const tags = (['identity', 'gzip', 'br'] as const).map((encoding) =>
      entityTag({ digest: 'digest' }, encoding),
    );
    expect(tags).toEqual(['"digest"', '"digest-gzip"', '"digest-br"']);
  });

  it('is weak where the digest leaves bytes out', () => {
    expect(entityTag({ digest: 'digest', hasWeakDigest: true }, 'gzip')).toBe('W/"digest-gzip"');
  });

  it.each(['"a"', 'W/"a"', '*', ' * ', '"b", "a"', '"b",W/"a","c"', '  "a"  '])(
    'is matched by %s',
    (listed) => {
      expect(matchesEntityTag(listed, '"a"')).toBe(true);
    },
  );

  it.each([undefined, '', 'a', '"b"', '"a-br"', 'w/"a"', '"*"', ','])('is not matched by %s', (listed) => {
    expect(matchesEntityTag(listed, '"a"')).toBe(false);
  });

  it('is matched by its weak and by its strong form where it is weak', () => {
    const matches = ['W/"a"', '"a"', '"b"'].map((listed) => matchesEntityTag(listed, 'W/"a"'));
    expect(matches).toEqual([true, true, false]);
  });

  it.each([
    [undefined, true],
    ['*', true],
    ['"a"', true],
    ['"b", "a"', true],
    ['W/"a"', false],
    ['"b"', false],
    ['"a-gzip"', false],
    ['', false],
  ])('passes If-Match: %s by strong comparison: %s', (listed, passes) => {
    expect(allowsEntityTag(listed, '"a"')).toBe(passes);
  });

  it.each([
    [undefined, true],
    ['"a"', true],
    [' "a" ', true],
    ['W/"a"', false],
    ['"b"', false],
    ['*', false],
    ['Sun, 17 May 2026 10:05:03 GMT', false],
  ])('passes If-Range: %s where that is the tag: %s', (ifRange, passes) => {
    expect(isSameEntity(ifRange, '"a"')).toBe(passes);
  });

  it('passes neither If-Match nor If-Range where it is weak', () => {
    expect([allowsEntityTag('W/"a"', 'W/"a"'), isSameEntity('W/"a"', 'W/"a"')]).toEqual([false, false]);
  });
});
