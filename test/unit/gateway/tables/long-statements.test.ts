import { readExampleSelect } from '../../../support/example-statements.js';

/** As often as a statement has words and symbols at most. */
const repeated = (text: string): string =>
  text.repeat(Math.floor(59_000 / (text.match(/\w+|[^\w ]/g)?.length ?? 1)));

// Quadratic work would take minutes.
it.each([
  ['columns', `SELECT ${repeated('querygate.edge.a,')}1 FROM edge`],
  ['pieces of a name', `SELECT ${repeated('a.')}b FROM edge`],
  ['tables', `SELECT 1 FROM ${repeated('edge,')}edge`],
  ['lambdas', `SELECT ${repeated('(a,b)->a,')}1`],
  ['queries in brackets', `${repeated('(SELECT 1 FROM edge) UNION ALL ')}SELECT 2`],
])(
  'reads a statement with many %s in linear time',
  (_, sql) => {
    expect(readExampleSelect(sql).template.length).toBeGreaterThan(50_000);
  },
  15_000,
);
