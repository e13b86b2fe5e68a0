import { date } from '../../../../src/endpoint/index.js';
import { declareByKind } from '../../../../src/endpoint/parameters/kinds.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

describe('date', () => {
  const day = date({ description });

  it.each(['1900-01-01', '1969-12-31', '2024-02-29', '2299-12-31'])('accepts %s unchanged', (input) => {
    expect(valueOf(day, input)).toBe(input);
  });

  it.each([
    '2023-02-29',
    '2026-13-01',
    '1899-12-31',
    '2300-01-01',
    '2026-5-1',
    '20260501',
    '2026-05-01T00:00',
    ' ',
  ])('rejects %j and shows the range and an example', (input) => {
    expect(problemOf(day, input)).toBe(
      'must be a date between 1900-01-01 and 2299-12-31, such as 2026-05-17',
    );
  });

  it('is within its bounds, inclusive', () => {
    const bounded = date({ description, minimum: '2026-01-01', maximum: '2026-12-31' });
    expect(valueOf(bounded, '2026-01-01')).toBe('2026-01-01');
    expect(valueOf(bounded, '2026-12-31')).toBe('2026-12-31');
    expect(problemOf(bounded, '2025-12-31')).toMatch(/between 2026-01-01 and 2026-12-31/);
    expect(problemOf(bounded, '2027-01-01')).toMatch(/between 2026-01-01 and 2026-12-31/);
  });

  it('fits every one of the types that the query binds it as', () => {
    const short = declareByKind('date', { description }, ['Date32', 'Date']);
    expect(valueOf(short, '1970-01-01')).toBe('1970-01-01');
    expect(valueOf(short, '2149-06-06')).toBe('2149-06-06');
    expect(problemOf(short, '1969-12-31')).toMatch(/between 1970-01-01 and 2149-06-06/);
    expect(problemOf(short, '2149-06-07')).toBeDefined();
    expect(mistakesIn(declareByKind('date', { description }, ['DateTime']))).toEqual([
      'the query binds it as DateTime; for kind date write Date or Date32',
    ]);
  });

  it('treats the empty text as omitted, or as a problem', () => {
    expect(valueOf(day, '')).toBeUndefined();
    expect(problemOf(date({ description, empty: 'problem' }), '')).toBe('must not be empty');
  });

  it.each([
    [{ minimum: '2026-02-30' }, 'minimum "2026-02-30" must be a date, such as 2026-05-17'],
    [{ minimum: '2026-02-02', maximum: '2026-02-01' }, 'no value is valid'],
    [{ default: '2025-12-31', minimum: '2026-01-01' }, 'default must be a date between 2026-01-01'],
    [{ default: 'today' }, 'default must be a date between'],
  ])('reports the options %j as a mistake', (options, problem) => {
    const mistakes = mistakesIn(date({ description, ...(options as object) }));
    expect(mistakes).toEqual([expect.stringContaining(problem)]);
  });
});
