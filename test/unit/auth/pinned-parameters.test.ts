import fc from 'fast-check';

import { applyPinned, scopeOf, type SentParameters } from '../../../src/auth/pinned-parameters.js';
import type { Principal } from '../../../src/auth/principal.js';

const PRINCIPAL: Principal = { name: 'a', mayBypassCache: false };
const BOUND: Principal = { ...PRINCIPAL, pinned: new Map([['project', 'abc']]) };
const DECLARED = new Set(['project', 'interval']);
const sent = (...pairs: [string, string | undefined, number?][]): SentParameters =>
  new Map(pairs.map(([name, text, times = 1]) => [name, { text, times }]));

describe('applyFixed', () => {
  it('leaves alone what a holder of everything sends', () => {
    const parameters = sent(['project', 'x']);
    expect(applyPinned(PRINCIPAL, DECLARED, parameters)).toEqual({ parameters });
  });

  it('supplies what is omitted, and takes the same value', () => {
    const parameters = sent(['interval', 'daily'], ['project', 'abc']);
    expect(applyPinned(BOUND, DECLARED, sent(['interval', 'daily']))).toEqual({ parameters });
    expect(applyPinned(BOUND, DECLARED, parameters)).toEqual({ parameters });
  });

  it.each([
    ['another value', sent(['project', 'abd'])],
    ['a regular expression that means it too', sent(['project', 'abc|'])],
    ['the empty text', sent(['project', ''])],
    ['another case', sent(['project', 'ABC'])],
    ['what can’t be decoded', sent(['project', undefined])],
    ['the same value twice', sent(['project', 'abc', 2])],
  ])('refuses %s, and names the parameter but not its value', (_what, parameters) => {
    const applied = applyPinned(BOUND, DECLARED, parameters);
    expect(applied).toMatchObject({ conflict: { param: 'project' } });
    expect(JSON.stringify(applied)).not.toContain('abc');
  });

  it('refuses an endpoint that has no such parameter, whether it is sent or not', () => {
    const names = new Set(['interval']);
    expect(applyPinned(BOUND, names, sent())).toMatchObject({ conflict: { param: 'project' } });
    expect(applyPinned(BOUND, names, sent(['project', 'abc']))).toMatchObject({
      conflict: { param: 'project' },
    });
  });

  it('ends in the fixed value or in a refusal, whatever is sent', () => {
    const name = fc.constantFrom('project', 'Project', 'project ', 'interval', 'x', '__proto__');
    const text = fc.oneof(fc.constantFrom('abc', undefined, ''), fc.string());
    const pairs = fc.array(fc.tuple(name, text, fc.integer({ min: 1, max: 3 })));
    fc.assert(
      fc.property(pairs, (given) => {
        const applied = applyPinned(BOUND, DECLARED, sent(...given));
        if ('conflict' in applied)
          expect(sent(...given).get('project')).not.toEqual({ text: 'abc', times: 1 });
        else expect(applied.parameters.get('project')).toEqual({ text: 'abc', times: 1 });
      }),
    );
  });
});

describe('scopeOf', () => {
  it('is empty where nothing is fixed', () => {
    expect(scopeOf(PRINCIPAL)).toBe('');
    expect(scopeOf({ ...PRINCIPAL, pinned: new Map() })).toBe('');
  });

  it('is the same for the same fixed parameters, in whatever order', () => {
    const of = (...pairs: [string, string][]): string => scopeOf({ ...PRINCIPAL, pinned: new Map(pairs) });
    expect(of(['b', '2'], ['a', '1'])).toBe('[["a","1"],["b","2"]]');
    expect(of(['a', '1'], ['b', '2'])).toBe(of(['b', '2'], ['a', '1']));
    expect(of(['a', '1","b'])).not.toBe(of(['a', '1'], ['b', '']));
  });

  it('is that of its key for a link', () => {
    const link: Principal = { ...BOUND, endpoints: ['x'], via: 'link', linkOf: BOUND };
    expect(scopeOf(link)).toBe(scopeOf(BOUND));
  });
});
