import {
  allowsEntityTag,
  entityTag,
  isSameEntity,
  matchesEntityTag,
} from '../../../../../src/gateway/http/result/entity-tag.js';

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
