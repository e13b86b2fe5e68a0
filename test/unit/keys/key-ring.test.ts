import { generateApiKey, hashApiKey } from '../../../src/keys/api-key.js';
import { KeyRing } from '../../../src/keys/key-ring.js';

const [old, fresh, other] = [generateApiKey(), generateApiKey(), generateApiKey()];
const ring = new KeyRing([
  { holder: { name: 'dashboard', mayBypassCache: false }, hashes: [hashApiKey(old), hashApiKey(fresh)] },
  { holder: { name: 'shipper', mayBypassCache: false }, hashes: [hashApiKey(other)] },
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
