import fc from 'fast-check';

import { number } from '../../../../src/endpoint/index.js';
import { declareByKind } from '../../../../src/endpoint/parameters/kinds.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

describe('number', () => {
  const ratio = number({ description, minimum: 0, maximum: 1 });

  it.each([
    ['0.50', '0.5'],
    ['.5', '0.5'],
    ['1.', '1'],
    ['+1', '1'],
    ['5e-1', '0.5'],
    ['-0', '0'],
    ['0e999', '0'],
  ])('converts %j to %s', (input, value) => {
    expect(valueOf(ratio, input)).toBe(value);
  });

  it('has one value for every spelling of a number, equal to the number', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(finite, (value) => {
        const read = valueOf(number({ description }), String(value));
        expect(Number(read)).toBe(value + 0);
        expect(valueOf(number({ description }), value.toExponential())).toBe(read);
      }),
    );
  });

  it.each(['NaN', 'Infinity', '-inf', '1,5', '0x1', '.', 'e5', ' 1', '1_000', ''.padEnd(3, '-')])(
    'rejects %j, which is not a number',
    (input) => {
      expect(problemOf(ratio, input)).toBe('must be a number, such as 0.5 or -1e3');
    },
  );

  it('rejects a number outside of its bounds or of the type', () => {
    expect(problemOf(ratio, '1.0000001')).toBe('must be a number between 0 and 1');
    expect(problemOf(number({ description }), '1e400')).toMatch(/^must be a number between -1\.79/);
    const float = declareByKind('number', { description }, ['Float64', 'Float32']);
    expect(problemOf(float, '1e39')).toMatch(/^must be a number between -3\.40/);
  });

  it('rejects a long text in linear time', () => {
    const startedAt = performance.now();
    expect(problemOf(ratio, `${'1'.repeat(65_000)}x`)).toBe('must be a number, such as 0.5 or -1e3');
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  it('treats the empty text as omitted, or as a problem', () => {
    expect(valueOf(ratio, '')).toBeUndefined();
    expect(problemOf(number({ description, empty: 'problem' }), '')).toBe('must not be empty');
  });

  it('describes its bounds in JSON Schema', () => {
    expect(ratio.jsonSchema).toEqual({ type: 'number', minimum: 0, maximum: 1 });
  });

  it.each([
    [{ minimum: '1' }, 'minimum "1" must be a number'],
    [{ minimum: 2, maximum: 1 }, 'no value is valid'],
    [{ default: 2, maximum: 1 }, 'default must be a number between'],
  ])('reports the options %j as a mistake', (options, problem) => {
    const mistakes = mistakesIn(number({ description, ...(options as object) }));
    expect(mistakes).toEqual([expect.stringContaining(problem)]);
  });

  it('accepts bounds beyond 2^53', () => {
    expect(mistakesIn(number({ description, maximum: 1e300 }))).toEqual([]);
  });

  it('reports that it cannot be bound as an integer', () => {
    expect(mistakesIn(declareByKind('number', { description }, ['Int64']))).toEqual([
      'the query binds it as Int64; for kind number write Float32 or Float64',
    ]);
  });
});
