import { KnownTargets, type KnownTarget } from '../../../src/http/known-targets.js';
import { keyOf } from '../../../src/query/call.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';

const query = { endpoint: sampleEndpoint(), values: new Map([['city', 'Rome']]), scope: '' };
const KNOWN: KnownTarget = { query, key: keyOf(query) };

describe('KnownTargets', () => {
  it('finds a target by its exact text', () => {
    const targets = new KnownTargets();
    targets.learn('', '/a?city=Rome', KNOWN);
    expect(targets.find('', '/a?city=Rome')).toBe(KNOWN);
    for (const other of ['/a?city=rome', '/a?city=Rome&', '/A?city=Rome', '']) {
      expect(targets.find('', other)).toBeUndefined();
    }
  });

  it('does not store very long targets', () => {
    const targets = new KnownTargets();
    const [long, tooLong] = ['x'.repeat(2048), 'x'.repeat(2049)];
    targets.learn('', long, KNOWN);
    targets.learn('', tooLong, KNOWN);
    expect([targets.find('', long), targets.find('', tooLong)]).toEqual([KNOWN, undefined]);
  });

  it('evicts the least recently used targets beyond its limit', () => {
    const targets = new KnownTargets();
    const long = (number: number): string => `${number}`.padEnd(2000, 'x');
    for (let number = 0; number < 20_000; number += 1) {
      targets.learn('', long(number), KNOWN);
      targets.find('', long(0));
    }
    expect([targets.find('', long(0)), targets.find('', long(1)), targets.find('', long(19_999))]).toEqual([
      KNOWN,
      undefined,
      KNOWN,
    ]);
  });
});
