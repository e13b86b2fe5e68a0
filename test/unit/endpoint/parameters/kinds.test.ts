import { declareByKind, KIND_NAMES, problemOfType } from '../../../../src/endpoint/parameters/kinds.js';
import type { ItemKind, Parameter } from '../../../../src/endpoint/parameters/parameter.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';
import { NUMBERS } from './promises-of-numbers.js';
import { TEXTS } from './promises-of-texts.js';
import type { Options, Promises } from './promises.js';

const KINDS: Readonly<Record<ItemKind, Promises>> = { ...NUMBERS, ...TEXTS };

/** The rows of a table by name, for titles. */
const named = (rows: Promises['values']) =>
  rows.map(([sent, expected, options = {}]) => ({ sent, expected, options }));

describe.each(Object.entries(KINDS))('a parameter of kind %s', (name, promises) => {
  const kind = name as ItemKind;
  const { options: needed = {}, values, problems, mistakes, types, otherTypes } = promises;
  const declared = (more: Options = {}, bound: readonly string[] = []): Parameter =>
    declareByKind(kind, { description, ...needed, ...more }, bound);
  const list = (more: Options = {}): Parameter =>
    declareByKind(`${kind}-list`, { description, ...needed, ...more }, []);

  it.each(named(values))('converts $sent to $expected', ({ sent, expected, options }) => {
    expect(valueOf(declared(options), sent)).toBe(expected);
    expect(valueOf(list(options), `${sent},${sent}`)).toEqual([expected, expected]);
    expect(valueOf(list({ ...options, set: true }), `${sent},${sent}`)).toEqual([expected]);
    expect(valueOf(declared({ ...options, default: sent }), undefined)).toBe(expected);
  });

  it.each(named(problems))('rejects $sent', ({ sent, expected: problem, options }) => {
    expect(problemOf(declared(options), sent)).toEqual(expect.stringContaining(problem));
    const [valid] = values[0] ?? [''];
    if (!sent.includes(',') && Object.keys(options).length === 0)
      expect(problemOf(list(options), `${valid},${sent}`)).toEqual(
        expect.stringContaining(`item 2 ${problem}`),
      );
  });

  it('may be omitted, unless it is required', () => {
    expect(valueOf(declared(), undefined)).toBeUndefined();
    expect(problemOf(declared({ required: true }), undefined)).toBe('is required');
    expect(problemOf(declared({ required: true, empty: 'omitted' }), '')).toBe('is required');
  });

  it('has an empty text that is omitted or a problem, as declared, and a value for a text only', () => {
    for (const parameter of [declared, list]) {
      expect(valueOf(parameter({ empty: 'omitted' }), '')).toBeUndefined();
      expect(problemOf(parameter({ empty: 'problem' }), '')).toBe(promises.ofEmpty ?? 'must not be empty');
      expect(mistakesIn(parameter({ empty: 'value' }))).toEqual(
        kind === 'string' ? [] : [expect.stringMatching(/^empty "value" must be /)],
      );
    }
  });

  it('is one value, or a list where it is declared as one', () => {
    const [[sent, value] = ['', '']] = values;
    expect(problemOf(declared(), [sent])).toBe('must be one value, not a list');
    expect(valueOf(list(), [sent])).toEqual([value]);
    expect(list()).toMatchObject({ kind: `${kind}-list`, type: `Array(${declared().type})`, isList: true });
  });

  it.each(mistakes)('reports the options %j as a mistake', (options, mistake) => {
    expect(mistakesIn(declared(options))).toEqual([expect.stringContaining(mistake)]);
  });

  it.each(types)('fits every one of the types %j', (bound, valid, invalid) => {
    const parameter = declared({}, bound);
    expect([mistakesIn(parameter), parameter.type]).toEqual([[], bound[0]]);
    for (const sent of valid) expect(problemOf(parameter, sent)).toBeUndefined();
    for (const sent of invalid) expect(problemOf(parameter, sent)).toBeDefined();
  });

  it.each(otherTypes)('reports that it cannot be bound as %s, nor a list as an Array of it', (type) => {
    expect(problemOfType('p', kind, type)?.code).toBe('TYPE_NOT_OF_KIND');
    expect(problemOfType('p', `${kind}-list`, `Array(${type})`)?.code).toBe('TYPE_NOT_OF_KIND');
  });
});

it('has promises for every kind', () => {
  expect(KIND_NAMES.toSorted()).toEqual(
    Object.keys(KINDS)
      .flatMap((kind) => [kind, `${kind}-list`])
      .sort(),
  );
});
