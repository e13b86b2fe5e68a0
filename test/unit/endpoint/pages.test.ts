import { column } from '../../../src/endpoint/definition.js';
import { bindQuery } from '../../../src/endpoint/bind.js';
import { parametersAfter } from '../../../src/endpoint/after-last-row.js';
import { defineEndpoint, type Endpoint } from '../../../src/endpoint/endpoint.js';
import { choose, FIRST_ROWS, sql, text, where, type Sql } from '../../../src/endpoint/index.js';
import { SAMPLE } from '../../support/sample-endpoint.js';

const CITY = { city: text({ description: 'A city.' }) };

const paged = (build: (city: Parameters<typeof SAMPLE.build>[0]['city']) => Sql, by = ['city']): Endpoint =>
  defineEndpoint({
    ...SAMPLE,
    parameters: CITY,
    columns: { city: column('String', 'A city.'), zone: column('Nullable(String)', 'A zone.') },
    pages: { by },
    build: ({ city }) => build(city),
  });

/** The text of a page whose last row before it has these values. */
function textOfPage({ pages, query }: Endpoint, last?: readonly (string | null)[]): string {
  const after = pages && last ? parametersAfter(pages.order, last) : [];
  return bindQuery(pages?.query ?? query, new Map([['city', null], ...after]), new Set(), new Date(0), 11)
    .text;
}

describe('the query of a page', () => {
  it('is the query of the author, in the order of the pages', () => {
    expect(textOfPage(paged(() => sql`SELECT city, zone FROM t`, ['zone desc', 'city nulls first']))).toBe(
      'SELECT * FROM (\n  SELECT city, zone FROM t\n)\n\nORDER BY `zone` DESC NULLS LAST, `city` ASC NULLS FIRST\nLIMIT {row_limit:UInt64}',
    );
  });

  it('has a plain bound of the first column, and a condition that depends on the nulls of the last row', () => {
    const endpoint = paged(() => sql`SELECT city, zone FROM t`, ['zone desc', 'city']);
    const zone = "CAST(unhex({after_1:String}), 'Nullable(String)')";
    const beyondCity = "(`city` > CAST(unhex({after_2:String}), 'String') OR `city` IS NULL)";
    const beyondZone = `(\`zone\` < ${zone} OR \`zone\` IS NULL)`;
    expect(textOfPage(endpoint, ['61', '62'])).toContain(
      `WHERE ((\`zone\` <= ${zone} OR \`zone\` IS NULL) AND (${beyondZone} OR (\`zone\` = ${zone} AND ${beyondCity})))\n`,
    );
    expect(textOfPage(endpoint, [null, '62'])).toContain(
      `WHERE (\`zone\` IS NULL AND (false OR (\`zone\` IS NULL AND ${beyondCity})))\n`,
    );
  });

  it('has the LIMIT of FIRST_ROWS on the first page alone', () => {
    const endpoint = paged(
      () => sql`SELECT city, zone FROM (SELECT city, zone FROM t ORDER BY city ${FIRST_ROWS})`,
    );
    const limits = [undefined, ['61']].map((last) => textOfPage(endpoint, last).split('LIMIT').length - 1);
    expect(limits).toEqual([2, 1]);
  });

  it('is that of the author where it takes the cursor itself, of which the saved query shows nothing', () => {
    const endpoint = defineEndpoint({
      ...SAMPLE,
      parameters: {},
      example: {},
      pages: { by: ['city'] },
      build: (_parameters, _now, after) =>
        sql`SELECT city FROM t ${where(after.rows)} ORDER BY city LIMIT ${choose([after.isFirstPage, sql`11`], sql`least(11, length(${after.last('city')}))`)}`,
    });
    expect(endpoint.savedQuery).toBe('SELECT city FROM t  ORDER BY city LIMIT 11');
    expect(textOfPage(endpoint)).toBe('SELECT city FROM t  ORDER BY city LIMIT 11\nLIMIT {row_limit:UInt64}');
    expect(textOfPage(endpoint, ['61'])).toContain(
      "WHERE ((`city` >= CAST(unhex({after_1:String}), 'String') OR",
    );
    expect(() =>
      defineEndpoint({
        ...SAMPLE,
        pages: { by: ['city'] },
        build: (_p, _n, after) => sql`SELECT ${after.last('town')}`,
      }),
    ).toThrow("after.last('town') is of no column of pages.by");
  });

  it('is around a query that gets the condition, but does not contain it', () => {
    const endpoint = defineEndpoint({
      ...SAMPLE,
      parameters: {},
      example: {},
      pages: { by: ['city'] },
      build: (_parameters, _now, after) => (after.rows.required.length > 0 ? sql`SELECT city FROM t` : sql``),
    });
    expect([endpoint.pages?.takesCursor, textOfPage(endpoint, ['61'])]).toEqual([
      false,
      expect.stringMatching(/^SELECT \* FROM \(\n/),
    ]);
  });

  it('changes the digest of a definition with the order', () => {
    const [one, other] = [['city'], ['city desc']].map(
      (by) => paged(() => sql`SELECT city, zone FROM t`, by).digest,
    );
    expect(one).not.toBe(other);
  });
});
