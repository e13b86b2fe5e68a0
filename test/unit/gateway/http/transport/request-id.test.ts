import { requestIdOf } from '../../../../../src/gateway/http/transport/request-context.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('requestIdOf', () => {
  it.each(['a', 'abc-123_x.y:z@w=+/~', '0'.repeat(128)])('returns %s unchanged', (id) => {
    expect(requestIdOf(id)).toBe(id);
  });

  it.each([
    ['nothing', undefined],
    ['the empty text', ''],
    ['a text over 128 characters', 'x'.repeat(129)],
    ['a space', 'a b'],
    ['a line feed', 'a\nb'],
    ['a quote', "a'b"],
    ['a letter beyond ASCII', 'é'],
    ['two ids in one header', 'a, b'],
  ])('returns a UUID instead of %s', (_what, header) => {
    expect(requestIdOf(header)).toMatch(UUID);
  });

  it('returns a different UUID each time', () => {
    expect(requestIdOf(undefined)).not.toBe(requestIdOf(undefined));
  });
});
