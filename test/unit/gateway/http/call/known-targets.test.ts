import { JSON_REPRESENTATION } from '../../../../../src/gateway/formats/representation.js';
import { KnownTargets, type KnownTarget } from '../../../../../src/gateway/http/call/known-targets.js';
import type { ReadCall } from '../../../../../src/gateway/http/call/read-call.js';
import { keyOf } from '../../../../../src/gateway/query/cache-key.js';
import { sampleEndpoint } from '../../../../support/sample-endpoint.js';

const query = { endpoint: sampleEndpoint(), values: new Map([['city', 'Rome']]), scope: '' };
const presentation = {
  representation: JSON_REPRESENTATION,
  download: false,
  complete: false,
  isExport: false,
  applied: [],
  isPlain: true,
};
const call: ReadCall = {
  ...{ query, presentation, readAt: 0, sql: undefined, sent: new Map(), demand: 'any', ignored: undefined },
};
const KNOWN: KnownTarget = { call, key: keyOf(query) };
const NOW = 1_000;

describe('KnownTargets', () => {
  it('finds a target by its exact text', () => {
    const targets = new KnownTargets(() => true);
    targets.learn('', '/a?city=Rome', KNOWN);
    expect(targets.find('', '/a?city=Rome', NOW)).toBe(KNOWN);
    for (const other of ['/a?city=rome', '/a?city=Rome&', '/A?city=Rome', '']) {
      expect(targets.find('', other, NOW)).toBeUndefined();
    }
  });

  it('does not store very long targets', () => {
    const targets = new KnownTargets(() => true);
    const [long, tooLong] = ['x'.repeat(2048), 'x'.repeat(2049)];
    targets.learn('', long, KNOWN);
    targets.learn('', tooLong, KNOWN);
    expect([targets.find('', long, NOW), targets.find('', tooLong, NOW)]).toEqual([KNOWN, undefined]);
  });

  it('forgets a target whose relative time means another time', () => {
    const targets = new KnownTargets(() => true);
    targets.learn('', '/a?since=now-1h', {
      ...KNOWN,
      call: { ...call, query: { ...query, changesAt: NOW + 1 } },
    });
    const times = [NOW, NOW + 1].map((now) => targets.find('', '/a?since=now-1h', now));
    expect(times.map((known) => known !== undefined)).toEqual([true, false]);
  });

  it('forgets a target whose endpoint was replaced, also one that a running request learns afterwards', () => {
    let current = query.endpoint;
    const targets = new KnownTargets((endpoint) => endpoint === current);
    targets.learn('', '/a', KNOWN);
    current = sampleEndpoint();
    expect(targets.find('', '/a', NOW)).toBeUndefined();
    targets.learn('', '/a', KNOWN);
    expect(targets.find('', '/a', NOW)).toBeUndefined();
  });

  it('evicts the least recently used targets beyond its limit', () => {
    const targets = new KnownTargets(() => true);
    const long = (number: number): string => `${number}`.padEnd(2000, 'x');
    for (let number = 0; number < 20_000; number += 1) {
      targets.learn('', long(number), KNOWN);
      targets.find('', long(0), NOW);
    }
    expect([
      targets.find('', long(0), NOW),
      targets.find('', long(1), NOW),
      targets.find('', long(19_999), NOW),
    ]).toEqual([KNOWN, undefined, KNOWN]);
  });
});
