import { renderQuery, type Dialect } from '../../../src/endpoint/render.js';
import { part, Reference, sql, whenGiven, where, withParts } from '../../../src/endpoint/sql.js';

const city = new Reference<string>('city', 'String');

/** The smallest dialect: names for parameters, no filters, no choices. */
const BARE: Dialect = {
  reference: ({ name }) => `<${name}>`,
  filter: () => undefined,
  choice: (_branches, otherwise, render) => render(otherwise),
  cap: '',
  setting: () => undefined,
  printsUnusedParts: false,
};

describe('renderQuery', () => {
  it('writes parameters in the form of the dialect', () => {
    expect(renderQuery({ parts: [], body: sql`SELECT ${city}` }, BARE)).toBe('SELECT <city>');
  });

  it('omits the filters that the dialect omits, and a WHERE without terms', () => {
    const filter = whenGiven(city, sql`city = ${city}`);
    const body = sql`SELECT 1 ${where(filter)}`;
    expect(renderQuery({ parts: [], body }, BARE)).toBe('SELECT 1 ');
    const withTerm = sql`SELECT 1 ${where(filter, sql`a`)}`;
    expect(renderQuery({ parts: [], body: withTerm }, BARE)).toBe('SELECT 1 WHERE a');
  });

  it('writes the parts that the body uses in a WITH clause, in the order of their definition', () => {
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
