import { NOW } from '../../../src/endpoint/reserved.js';
import { printSavedQuery } from '../../../src/endpoint/saved-query.js';
import { part, Reference, sql, type Sql } from '../../../src/endpoint/sql.js';

const city = new Reference<string>('city', 'String');
const print = (body: Sql): string => printSavedQuery({ parts: [], body }, undefined);

/** Builds a fragment with a value that the types forbid, as plain JavaScript or a cast can. */
const fragmentWith = (value: unknown): (() => Sql) => {
  return () => sql`SELECT 1 WHERE city = ${value as Reference}`;
};

describe('sql', () => {
  it('accepts parameters, fragments, parts and the current time', () => {
    const fragment = sql`upper(${city})`;
    const rows = part('rows', sql`SELECT 1`);
    expect(print(sql`SELECT ${fragment} FROM ${rows} WHERE at < ${NOW}`)).toBe(
      "SELECT upper(@city) FROM rows WHERE at < now64(6, 'UTC')",
    );
  });

  it.each([
    ['a string', "'; DROP TABLE logs --", 'a string'],
    ['a number', 7, 'a number'],
    ['a boolean', true, 'a boolean'],
    ['null', null, 'a object'],
    ['a list', ['a'], 'a object'],
    ['an object that looks like a fragment', { nodes: [{ kind: 'text', text: 'x' }] }, 'a object'],
    ['an object that looks like a parameter', { name: 'city', type: 'String' }, 'a object'],
    ['a function', () => 'x', 'a function'],
    ['a date', new Date(0), 'a object'],
  ])('rejects %s', (_what, value, named) => {
    expect(fragmentWith(value)).toThrow(TypeError);
    expect(fragmentWith(value)).toThrow(`after "SELECT 1 WHERE city =" there is ${named}`);
  });

  it('reports the position of an undeclared parameter', () => {
    expect(fragmentWith(undefined)).toThrow('after "SELECT 1 WHERE city =" there is an undeclared parameter');
  });

  it('reports the last line before the invalid value', () => {
    const build = (): Sql => sql`
      SELECT 1
      FROM logs
      WHERE a = ${'x' as unknown as Reference}`;
    expect(build).toThrow('after "WHERE a ="');
  });

  it('removes the indentation of the source code', () => {
    const query = sql`
      SELECT
        1
      FROM logs
    `;
    expect(print(query)).toBe('SELECT\n  1\nFROM logs');
  });

  it('indents a fragment of several lines like the line that contains it', () => {
    const inner = sql`
      if(
        1,
        ${city})`;
    const query = sql`
      SELECT
        ${inner} AS a,
        2`;
    expect(print(query)).toBe('SELECT\n  if(\n    1,\n    @city) AS a,\n  2');
  });
});
