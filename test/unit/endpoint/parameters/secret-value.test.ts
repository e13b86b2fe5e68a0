import { inspect } from 'node:util';

import { revealed, sealWith } from '../../../../src/endpoint/parameters/secret-value.js';

const keyOf = (text: string): Buffer => Buffer.from(text);
const seal = sealWith(keyOf('a key'));

describe('SecretValue', () => {
  const value = seal('the-token');

  it.each([
    ['a text', String(value)],
    ['JSON', JSON.stringify({ value })],
    ['a line of the console', inspect({ value }, { depth: 9, showHidden: true })],
    ['a list of its properties', JSON.stringify(Object.entries(value))],
  ])('does not show the value as %s', (_what, shown) => {
    expect(shown).not.toContain('token');
  });

  it('reveals the value to who asks for it', () => {
    expect(value.reveal()).toBe('the-token');
    expect(revealed(seal(['a', 'b']))).toEqual(['a', 'b']);
    expect(revealed('plain')).toBe('plain');
    expect(revealed(null)).toBeNull();
  });

  it('has the same JSON for the same value and key only', () => {
    const json = JSON.stringify(value);
    expect(json).toMatch(/^\{"hmac":"[0-9a-f]{64}"\}$/);
    expect(JSON.stringify(seal('the-token'))).toBe(json);
    expect(JSON.stringify(seal('another'))).not.toBe(json);
    expect(JSON.stringify(sealWith(keyOf('another key'))('the-token'))).not.toBe(json);
    expect(JSON.stringify(seal(['the-token']))).not.toBe(json);
  });
});
