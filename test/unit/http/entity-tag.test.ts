import { entityTag, matchesEntityTag } from '../../../src/http/entity-tag.js';

describe('an entity tag', () => {
  it('is strong and differs for each encoding', () => {
    const tags = (['identity', 'gzip', 'br'] as const).map((encoding) => entityTag('digest', encoding));
    expect(tags).toEqual(['"digest"', '"digest-gzip"', '"digest-br"']);
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
});
