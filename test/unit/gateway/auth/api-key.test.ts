import { generateApiKey, hashApiKey } from '../../../../src/gateway/auth/api-key.js';

describe('generateApiKey', () => {
  it('returns a different key each time, of characters that need no quoting in headers and shells', () => {
    const keys = new Set(Array.from({ length: 100 }, generateApiKey));
    expect(keys.size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^qg_[\w-]{43}$/);
  });
});

describe('hashApiKey', () => {
  it('returns SHA-256 in hexadecimal, like sha256sum', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
