import { renderQuery, type Dialect } from '../../../src/endpoint/render.js';
import { part, Reference, sql, whenGiven, where, withParts } from '../../../src/endpoint/sql.js';

const city = new Reference<string>('city', 'String');

/** The least that a dialect can be: names for parameters, no filters, no choices. */
const BARE: Dialect = {
  reference: ({ name }) => `<${name}>`,
  filter: () => undefined,
  choice: (_branches, otherwise, render) => render(otherwise),
  cap: '',
  setting: () => undefined,
  printsUnusedParts: false,
};

describe('renderQuery', () => {
  it('writes parameters as the dialect does', () => {
    expect(renderQuery({ parts: [], body: sql`SELECT ${city}` }, BARE)).toBe('SELECT <city>');
  });

  it('leaves out the filters that the dialect leaves out, and a WHERE without terms', () => {
    const filter = whenGiven(city, sql`city = ${city}`);
    const body = sql`SELECT 1 ${where(filter)}`;
    expect(renderQuery({ parts: [], body }, BARE)).toBe('SELECT 1 ');
    const kept = sql`SELECT 1 ${where(filter, sql`a`)}`;
    expect(renderQuery({ parts: [], body: kept }, BARE)).toBe('SELECT 1 WHERE a');
  });

  it('writes WITH ahead of a body that uses a part, in the order in which parts are defined', () => {
    const one = part('one', sql`SELECT 1`);
    const two = part(
      'two',
      sql`
      SELECT 2
      FROM x`,
    );
    const query = withParts([one, two], sql`SELECT * FROM ${two}, ${one}`);
    expect(renderQuery(query, BARE)).toBe(
      'WITH\n  one AS (\n    SELECT 1\n  ),\n  two AS (\n    SELECT 2\n    FROM x\n  )\nSELECT * FROM two, one',
    );
  });

  it('writes a part that only another part uses', () => {
    const inner = part('inner', sql`SELECT 1`);
    const outer = part('outer', sql`SELECT * FROM ${inner}`);
    const text = renderQuery(withParts([inner, outer], sql`SELECT * FROM ${outer}`), BARE);
    expect(text).toContain('inner AS (');
  });
});
