import fc from 'fast-check';

import { applyPinned, scopeOf, type SentParameters } from '../../../../src/gateway/auth/pinned-parameters.js';
import type { Principal } from '../../../../src/gateway/auth/principal.js';

const PRINCIPAL: Principal = { name: 'a', mayBypassCache: false };
const PINNED: Principal = { ...PRINCIPAL, pinned: new Map([['project', 'abc']]) };
const DECLARED = new Set(['project', 'interval']);
const sent = (...pairs: [string, string | undefined, number?][]): SentParameters =>
  new Map(pairs.map(([name, text, times = 1]) => [name, { text, times }]));

describe('applyPinned', () => {
  it('returns the sent parameters unchanged without pinned parameters', () => {
    const parameters = sent(['project', 'x']);
    expect(applyPinned(PRINCIPAL, DECLARED, parameters)).toEqual({ parameters });
  });

  it('yields the pinned value or rejects, whatever is sent', () => {
    const name = fc.constantFrom('project', 'Project', 'project ', 'interval', 'x', '__proto__');
    const text = fc.oneof(fc.constantFrom('abc', undefined, ''), fc.string());
    const pairs = fc.array(fc.tuple(name, text, fc.integer({ min: 1, max: 3 })));
    fc.assert(
      fc.property(pairs, (sentPairs) => {
        const applied = applyPinned(PINNED, DECLARED, sent(...sentPairs));
        if ('conflict' in applied)
          expect(sent(...sentPairs).get('project')).not.toEqual({ text: 'abc', times: 1 });
        else expect(applied.parameters.get('project')).toEqual({ text: 'abc', times: 1 });
      }),
    );
  });
});

describe('scopeOf', () => {
  it('is empty without pinned parameters', () => {
    expect(scopeOf(PRINCIPAL)).toBe('');
    expect(scopeOf({ ...PRINCIPAL, pinned: new Map() })).toBe('');
  });

  it('does not depend on the order of the pinned parameters', () => {
    const of = (...pairs: [string, string][]): string => scopeOf({ ...PRINCIPAL, pinned: new Map(pairs) });
    expect(of(['b', '2'], ['a', '1'])).toBe('[["a","1"],["b","2"]]');
    expect(of(['a', '1'], ['b', '2'])).toBe(of(['b', '2'], ['a', '1']));
    expect(of(['a', '1","b'])).not.toBe(of(['a', '1'], ['b', '']));
  });

  it('is the scope of the key for a signed link', () => {
    const link: Principal = { ...PINNED, endpoints: ['x'], via: 'link', signedBy: PINNED };
    expect(scopeOf(link)).toBe(scopeOf(PINNED));
  });
});
