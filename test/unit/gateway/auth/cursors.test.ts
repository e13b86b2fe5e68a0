import fc from 'fast-check';

import { MAX_LAST_ROW_BYTES } from '../../../../src/endpoint/after-last-row.js';
import { SecretValue } from '../../../../src/endpoint/parameters/secret-value.js';
import { Cursors } from '../../../../src/gateway/auth/cursors.js';
import type { Principal } from '../../../../src/gateway/auth/principal.js';

const SECRET = 'a secret of thirty-two bytes, or more';
const CALL = { endpoint: { id: 'id-1', digest: 'abc' }, values: new Map([['city', 'Rome']]), scope: '' };
const KEY: Principal = { name: 'sheet', mayBypassCache: true, created: '2026-01-01T00:00:00.000Z' };
const NOW = Date.UTC(2026, 10, 26);

const hex = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('hex'));

describe('a cursor', () => {
  it.each([SECRET, undefined])('has the position that it was made with, with the secret %s', (secret) => {
    const cursors = new Cursors(secret);
    fc.assert(
      fc.property(fc.array(fc.option(hex), { maxLength: 5 }), (last) => {
        const cursor = cursors.seal({ readAt: NOW, now: NOW - 5, last }, CALL, KEY);
        expect(new Cursors(secret).open(cursor, CALL, KEY, NOW)).toMatchObject({
          readAt: NOW,
          now: NOW - 5,
          last,
        });
      }),
    );
  });

  it('has less than a kilobyte for a row of 600 bytes, and less than three for the largest', () => {
    const lengthOf = (bytes: number): number =>
      new Cursors(SECRET).seal({ readAt: NOW, now: NOW, last: ['61'.repeat(bytes - 2)] }, CALL, KEY).length;
    expect(lengthOf(600)).toBeLessThan(1024);
    expect(lengthOf(MAX_LAST_ROW_BYTES)).toBeLessThan(3000);
  });

  it('shows neither parameters nor pinned values', () => {
    const call = { ...CALL, scope: '[["tenant","secret-tenant"]]' };
    const cursor = new Cursors(SECRET).seal({ readAt: NOW, now: NOW, last: ['61'] }, call, KEY);
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(/Rome|secret/);
  });

  it.each([
    ['of the endpoint', new SecretValue('1234', 'hmac'), () => false],
    ['of another endpoint', '1234', (name: string) => name === 'pin'],
  ])(
    'without LINK_SECRET is the same for each value of a secret %s that its key pins',
    (_, value, isSecret) => {
      const cursors = new Cursors(undefined, isSecret);
      const cursorOf = (pin: string): string => {
        const shown = typeof value === 'string' ? pin : value;
        const call = {
          ...CALL,
          values: new Map([...CALL.values, ['pin', shown]]),
          scope: `[["pin","${pin}"]]`,
        };
        return cursors.seal({ readAt: NOW, now: NOW, last: ['61'] }, call, KEY);
      };
      expect(cursorOf('1234')).toBe(cursorOf('4321'));
      const other = { ...CALL, scope: '[["city","Rome"]]' };
      const opened = cursors.open(cursorOf('1234'), CALL, KEY, NOW);
      expect('problemOf' in opened && opened.problemOf(other)).toContain('other pinned parameters');
    },
  );

  it('is rejected with any byte changed, and any text is rejected without an error', () => {
    const cursors = new Cursors(undefined);
    const bytes = Buffer.from(
      cursors.seal({ readAt: NOW, now: NOW, last: ['61', null] }, CALL, KEY),
      'base64url',
    );
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ mask;
        expect(cursors.open(changed.toString('base64url'), CALL, KEY, NOW)).toHaveProperty('problem');
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(cursors.open(text, CALL, KEY, NOW)).toHaveProperty('problem');
      }),
    );
  });

  it('without a secret is of the key by its name and time of creation, also by a link that it signed', () => {
    const cursors = new Cursors(undefined);
    const cursor = cursors.seal({ readAt: NOW, now: NOW, last: ['61'] }, CALL, KEY);
    const link: Principal = { ...KEY, name: 'link', via: 'link', signedBy: KEY };
    for (const valid of [{ ...KEY }, link])
      expect(cursors.open(cursor, CALL, valid, NOW)).toHaveProperty('last');
    for (const other of [
      { ...KEY, name: 'b' },
      { ...KEY, created: '2026-01-02T00:00:00.000Z' },
    ]) {
      expect(cursors.open(cursor, CALL, other, NOW)).toHaveProperty('problem');
    }
  });
});
