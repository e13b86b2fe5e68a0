import { NOW } from '../../../src/endpoint/reserved.js';
import { printSavedQuery } from '../../../src/endpoint/saved-query.js';
import {
  all,
  choose,
  is,
  part,
  Reference,
  sql,
  whenGiven,
  where,
  withParts,
  type Sql,
} from '../../../src/endpoint/sql.js';

const city = new Reference<string>('city', 'String');
const country = new Reference<string>('country', 'String');
const print = (body: Sql, limit?: number): string => printSavedQuery({ parts: [], body }, limit);

describe('printSavedQuery', () => {
  it('writes @name for a parameter and now64() for the current time', () => {
    expect(print(sql`SELECT ${city} WHERE at < ${NOW}`)).toBe("SELECT @city WHERE at < now64(6, 'UTC')");
  });

  it('writes an optional filter as a condition with IS NULL', () => {
    const query = sql`SELECT 1 ${where(sql`a = 1`, whenGiven(city, sql`city = ${city}`))}`;
    expect(print(query)).toBe('SELECT 1 WHERE a = 1\n  AND (@city IS NULL OR city = @city)');
  });

  it('writes an IS NULL for each parameter of a filter', () => {
    const query = sql`SELECT 1 ${where(whenGiven([city, country], sql`f(${city}, ${country})`))}`;
    expect(print(query)).toBe('SELECT 1 WHERE (@city IS NULL OR @country IS NULL OR f(@city, @country))');
  });

  it('writes a choice as a CASE', () => {
    const choice = choose(
      [all(is(city, 'Rome'), is(country, 'IT')), sql`1`],
      [is(city, "L'Aquila\\"), sql`2`],
      sql`3`,
    );
    expect(print(sql`SELECT ${choice}`)).toBe(
      [
        'SELECT CASE',
        "  WHEN @city = 'Rome' AND @country = 'IT' THEN 1",
        "  WHEN @city = 'L\\'Aquila\\\\' THEN 2",
        '  ELSE 3',
        'END',
      ].join('\n'),
    );
  });

  it('writes every part, even one that is not used', () => {
    const one = part('one', sql`SELECT 1`);
    const two = part('two', sql`SELECT 2`);
    const text = printSavedQuery(withParts([one, two], sql`SELECT * FROM ${one}`), undefined);
    expect(text).toBe(
      'WITH\n  one AS (\n    SELECT 1\n  ),\n  two AS (\n    SELECT 2\n  )\nSELECT * FROM one',
    );
  });

  it('ends with the endpoint’s own limit, if it has one', () => {
    expect(print(sql`SELECT 1`, 100)).toBe('SELECT 1\nLIMIT 100');
    expect(print(sql`SELECT 1`)).toBe('SELECT 1');
  });
});
