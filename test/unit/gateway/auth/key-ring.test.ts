import { inspect } from 'node:util';

import { generateApiKey, hashApiKey } from '../../../../src/gateway/auth/api-key.js';
import { KeyRing } from '../../../../src/gateway/auth/key-ring.js';

const [old, fresh, other] = [generateApiKey(), generateApiKey(), generateApiKey()];
const ring = new KeyRing([
  { principal: { name: 'dashboard', mayBypassCache: false }, hashes: [hashApiKey(old), hashApiKey(fresh)] },
  { principal: { name: 'shipper', mayBypassCache: false }, hashes: [hashApiKey(other)] },
]);

describe('KeyRing', () => {
  it('finds the principal by either key during a rotation', () => {
    expect(ring.find(old)).toMatchObject({ name: 'dashboard' });
    expect(ring.find(fresh)).toMatchObject({ name: 'dashboard' });
    expect(ring.find(other)).toMatchObject({ name: 'shipper' });
  });
});

describe('a key that expires', () => {
  const expiresAt = Date.UTC(2027, 0, 1);
  const ringAt = (ms: number): KeyRing =>
    new KeyRing(
      [{ principal: { name: 'guest', mayBypassCache: false, expiresAt }, hashes: [hashApiKey(old)] }],
      () => new Date(ms),
    );

  it('is not found from its expiry on, by key or by name', () => {
    expect(ringAt(expiresAt - 1).find(old)?.name).toBe('guest');
    expect(ringAt(expiresAt - 1).findByName('guest')?.name).toBe('guest');
    expect(ringAt(expiresAt).find(old)).toBeUndefined();
    expect(ringAt(expiresAt).findByName('guest')).toBeUndefined();
    expect(
      ringAt(expiresAt)
        .principals()
        .map(({ name }) => name),
    ).toEqual(['guest']);
  });
});

describe('a printed key ring', () => {
  it('contains no hash, in JSON or in a log line', () => {
    for (const shown of [JSON.stringify(ring), inspect(ring, { depth: 9, showHidden: true })]) {
      expect(shown).not.toMatch(/[0-9a-f]{16}/);
    }
  });
});
