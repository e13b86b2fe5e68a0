import { queryShapes } from '../../../../src/gateway/facts/query-shapes.js';
import { defineEndpoint } from '../../../../src/endpoint/endpoint.js';
import { choose, is, oneOf, sql, text, type Reference, type Sql } from '../../../../src/endpoint/index.js';
import { isOmitted, type Query } from '../../../../src/endpoint/sql.js';
import { SAMPLE } from '../../../support/sample-endpoint.js';

interface Parameters {
  readonly city: Reference<string>;
  readonly unit: Reference<'day' | 'hour'>;
}

/** The shapes, each on one line. */
function shapesOf(build: (parameters: Parameters) => Sql | Query): readonly string[] {
  const { query } = defineEndpoint({
    ...SAMPLE,
    parameters: {
      city: text({ description: 'City.' }),
      unit: oneOf(['day', 'hour'], { description: 'Unit.' }),
    },
    example: {},
    build,
  });
  return queryShapes(query).map((shape) => shape.replaceAll(/\s+/g, ' ').trim());
}

describe('queryShapes', () => {
  it('takes every branch of a choice inside another, which the outer one may have to lead to', () => {
    const shapes = shapesOf(({ city, unit }) => {
      const inner = choose([isOmitted(city), sql`inner_one`], sql`inner_other`);
      return choose([is(unit, 'day'), sql`SELECT 1 FROM ${inner}`], sql`SELECT 1 FROM outer_other`);
    });
    expect([...shapes].sort()).toEqual([
      'SELECT 1 FROM inner_one',
      'SELECT 1 FROM inner_other',
      'SELECT 1 FROM outer_other',
    ]);
  });

  it('takes the branches of the same condition together', () => {
    const shapes = shapesOf(({ unit }) => {
      const open = choose([is(unit, 'day'), sql`SELECT 1 FROM (`], sql``);
      const close = choose([is(unit, 'day'), sql`)`], sql``);
      return sql`${open} SELECT 1 FROM a ${close}`;
    });
    expect(shapes).toContain('SELECT 1 FROM ( SELECT 1 FROM a )');
    expect(shapes).toContain('SELECT 1 FROM a');
  });

  it('needs one text for each branch, not one for each combination', () => {
    const shapes = shapesOf(({ city, unit }) => {
      const choices = Array.from({ length: 12 }, (_, index) =>
        choose([is(city, `c${index}`), sql`1`], [is(unit, 'day'), sql`2`], sql`3`),
      );
      return choices.reduce((query, choice) => sql`${query}, ${choice}`, sql`SELECT 0`);
    });
    expect(shapes.length).toBeLessThanOrEqual(25);
  });
});
