import { inspect } from 'node:util';

import { generateApiKey, hashApiKey } from '../../../src/auth/api-key.js';
import { KeyRing } from '../../../src/auth/key-ring.js';

const [old, fresh, other] = [generateApiKey(), generateApiKey(), generateApiKey()];
const ring = new KeyRing([
  { principal: { name: 'dashboard', mayBypassCache: false }, hashes: [hashApiKey(old), hashApiKey(fresh)] },
  { principal: { name: 'shipper', mayBypassCache: false }, hashes: [hashApiKey(other)] },
]);

describe('KeyRing', () => {
  it('finds the holder of a key, by either key while one is being replaced', () => {
    expect(ring.find(old)).toMatchObject({ name: 'dashboard' });
    expect(ring.find(fresh)).toMatchObject({ name: 'dashboard' });
    expect(ring.find(other)).toMatchObject({ name: 'shipper' });
  });

  it.each([
    ['an unknown key', generateApiKey()],
    ['the empty text', ''],
    ['the hash of a key', hashApiKey(old)],
    ['a key with something after it', `${old} `],
    ['a key without its last character', old.slice(0, -1)],
    ['a key in upper case', old.toUpperCase()],
    ['a name', 'dashboard'],
  ])('finds nobody for %s', (_what, key) => {
    expect(ring.find(key)).toBeUndefined();
  });

  it('finds nobody where it is empty', () => {
    expect(new KeyRing([]).find(old)).toBeUndefined();
  });
});

describe('a key that expires', () => {
  const expiresAt = Date.UTC(2027, 0, 1);
  const ringAt = (ms: number): KeyRing =>
    new KeyRing(
      [{ principal: { name: 'guest', mayBypassCache: false, expiresAt }, hashes: [hashApiKey(old)] }],
      () => new Date(ms),
    );

  it('is as good as unknown from its expiry on, by key and by name', () => {
    expect(ringAt(expiresAt - 1).find(old)?.name).toBe('guest');
    expect(ringAt(expiresAt - 1).named('guest')?.name).toBe('guest');
    expect(ringAt(expiresAt).find(old)).toBeUndefined();
    expect(ringAt(expiresAt).named('guest')).toBeUndefined();
    expect(
      ringAt(expiresAt)
        .principals()
        .map(({ name }) => name),
    ).toEqual(['guest']);
  });
});

describe('what a ring shows of itself', () => {
  it('is no hash, in JSON or in a log line', () => {
    for (const shown of [JSON.stringify(ring), inspect(ring, { depth: 9, showHidden: true })]) {
      expect(shown).not.toMatch(/[0-9a-f]{16}/);
    }
  });
});
