import { readExampleSelect } from '../../../support/example-statements.js';

const repeated = (text: string): string => text.repeat(Math.floor(200_000 / text.length));

// Quadratic work would take a minute.
it.each([
  ['columns', `SELECT ${repeated('querygate.edge.a,')}1 FROM edge`],
  ['pieces of a name', `SELECT ${repeated('a.')}b FROM edge`],
  ['tables', `SELECT 1 FROM ${repeated('edge,')}edge`],
  ['lambdas', `SELECT ${repeated('(a,b)->a,')}1`],
  ['queries in brackets', `${repeated('(SELECT 1 FROM edge) UNION ALL ')}SELECT 2`],
])(
  'reads a statement with many %s in linear time',
  (_, sql) => {
    expect(readExampleSelect(sql).text.length).toBeGreaterThan(100_000);
  },
  15_000,
);
