import * as fc from 'fast-check';

import { COLUMNS, condition, EMPTY_PART, few, part, partial, source, tested, trap } from './clauses.js';

/** Alias `a`, or `b` for a RIGHT join: never the empty rows of an outer join, on which every expression would throw. */
const JOINS = ['INNER', 'LEFT', 'RIGHT', 'LEFT SEMI', 'RIGHT SEMI', 'LEFT ANTI', 'RIGHT ANTI'];
const MORE_OF_TWO = [
  'UNION ALL',
  'UNION DISTINCT',
  'INTERSECT',
  'EXCEPT',
  'INTERSECT DISTINCT',
  'EXCEPT DISTINCT',
];
const GROUPINGS = ['g', 'ROLLUP (g)', 'CUBE (g)', 'GROUPING SETS ((g), ())'];
const AGGREGATES = [
  'countIf(@)',
  'sum(toUInt64(@))',
  'uniqExactIf(a.id, @)',
  'max(@)',
  'argMaxIf(a.id, a.timestamp, @)',
];
const WINDOWS = [
  'count() OVER (PARTITION BY @)',
  'row_number() OVER (PARTITION BY @ ORDER BY a.timestamp, a.id)',
  'max(toString(@)) OVER (ORDER BY a.timestamp, a.id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)',
  'lagInFrame(toString(@), 1) OVER (ORDER BY a.timestamp, a.id)',
];

/** A grammar of SELECTs by the clause with the caller's expression. Each SELECT returns its rows in a defined order. */
const SHAPES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  where: fc
    .tuple(source, condition)
    .map(([from, x]) => `SELECT count() AS n FROM ${from('a')} WHERE ${x('a')}`),
  rows: fc
    .tuple(source, condition, fc.constantFrom('id', 'event_message', 'timestamp, metadata', '*'))
    .map(
      ([from, x, columns]) => `SELECT ${columns} FROM ${from('a')} WHERE ${x('a')} ORDER BY timestamp, id`,
    ),
  select: fc
    .tuple(source, partial, few)
    .map(
      ([from, e, n]) =>
        `SELECT id, ${e('a')} AS x FROM ${from('a')} ORDER BY timestamp DESC, id LIMIT ${n + 1}`,
    ),
  orderBy: fc
    .tuple(source, partial, few)
    .map(
      ([from, e, n]) =>
        `SELECT id FROM ${from('a')} ORDER BY toString(${e('a')}), id LIMIT ${n + 1} OFFSET 1`,
    ),
  distinct: fc
    .tuple(source, partial, condition)
    .map(
      ([from, e, x]) =>
        `SELECT DISTINCT toString(${e('a')}) AS x FROM ${from('a')} WHERE ${x('a')} ORDER BY x`,
    ),
  group: fc
    .tuple(source, partial, fc.constantFrom(...GROUPINGS))
    .map(
      ([from, e, by]) =>
        `SELECT toString(${e('a')}) AS g, count() AS n FROM ${from('a')} GROUP BY ${by} ORDER BY g, n`,
    ),
  having: fc
    .tuple(source, condition, partial)
    .map(
      ([from, x, e]) =>
        `SELECT a.event_message AS g, max(toString(${e('a')})) AS m FROM ${from('a')} GROUP BY g HAVING countIf(${x('a')}) >= 0 AND g != 'x' ORDER BY g`,
    ),
  havingOnKey: fc
    .tuple(source, tested)
    .map(
      ([from, x]) =>
        `SELECT a.event_message AS m, a.metadata AS o FROM ${from('a')} GROUP BY a.event_message, a.metadata HAVING ${x('a')} ORDER BY m, o`,
    ),
  aggregate: fc
    .tuple(source, fc.constantFrom(...AGGREGATES), condition, condition)
    .map(
      ([from, f, x, y]) => `SELECT ${f.replaceAll('@', () => x('a'))} AS v FROM ${from('a')} WHERE ${y('a')}`,
    ),
  window: fc
    .tuple(source, fc.constantFrom(...WINDOWS), partial)
    .map(
      ([from, f, e]) =>
        `SELECT id, ${f.replaceAll('@', () => e('a'))} AS v FROM ${from('a')} ORDER BY timestamp, id, v`,
    ),
  qualify: fc
    .tuple(source, partial, condition)
    .map(
      ([from, e, x]) =>
        `SELECT id FROM ${from('a')} WHERE ${x('a')} QUALIFY row_number() OVER (PARTITION BY toString(${e('a')}) ORDER BY timestamp, id) = 1 ORDER BY timestamp, id`,
    ),
  filterOverWindow: fc
    .tuple(source, tested)
    .map(
      ([from, x]) =>
        `SELECT count() AS n FROM (SELECT *, count() OVER (PARTITION BY event_message) AS c FROM ${from('s')}) AS a WHERE ${x('a')}`,
    ),
  join: fc
    .tuple(source, source, fc.constantFrom(...JOINS), condition)
    .map(
      ([left, right, join, x]) =>
        `SELECT count() AS n FROM ${left('a')} ${join} JOIN ${right('b')} ON a.event_message = b.event_message WHERE ${x(join.startsWith('RIGHT') ? 'b' : 'a')}`,
    ),
  on: fc
    .tuple(source, source, fc.constantFrom('INNER', 'LEFT', 'RIGHT', 'FULL'), tested, tested)
    .map(
      ([left, right, join, x, y]) =>
        `SELECT count() AS n FROM ${left('a')} ${join} JOIN ${right('b')} ON a.id = b.id AND ${x('a')} AND ${y('b')}`,
    ),
  // One side throws; whether ClickHouse reads it while the other is empty depends on the order of the join.
  joinSides: fc
    .tuple(part, fc.oneof(part, fc.constant(EMPTY_PART)), trap, fc.boolean())
    .map(([throwing, other, e, isLeft]) => {
      const a = `(SELECT event_message AS k, ${e} AS v FROM ${throwing}) AS a`;
      const b = `(SELECT event_message AS k FROM ${other}) AS b`;
      return `SELECT max(v) AS m FROM ${isLeft ? a : b} INNER JOIN ${isLeft ? b : a} ON a.k = b.k`;
    }),
  joinOnExpression: fc
    .tuple(source, source, partial)
    .map(
      ([left, right, e]) =>
        `SELECT count() AS n FROM ${left('a')} INNER JOIN ${right('b')} ON toString(${e('a')}) = toString(${e('b')})`,
    ),
  cross: fc
    .tuple(source, source, condition, tested)
    .map(
      ([left, right, x, y]) =>
        `SELECT count() AS n FROM ${left('a')} CROSS JOIN ${right('b')} WHERE a.id = b.id AND ${x('a')} AND ${y('b')}`,
    ),
  asof: fc
    .tuple(source, source, tested)
    .map(
      ([left, right, x]) =>
        `SELECT count() AS n FROM ${left('a')} ASOF JOIN ${right('b')} ON a.event_message = b.event_message AND a.timestamp >= b.timestamp WHERE ${x('b')}`,
    ),
  arrayJoin: fc
    .tuple(source, partial, condition)
    .map(
      ([from, e, x]) =>
        `SELECT count() AS n, max(v) AS m FROM ${from('a')} ARRAY JOIN [toString(${e('a')}), 'z'] AS v WHERE ${x('a')} AND v != 'x'`,
    ),
  ofTwo: fc
    .tuple(source, condition, fc.constantFrom(...MORE_OF_TWO), source, condition)
    .map(
      ([one, x, and, other, y]) =>
        `SELECT * FROM (SELECT event_message AS m FROM ${one('a')} WHERE ${x('a')} ${and} SELECT event_message FROM ${other('a')} WHERE ${y('a')}) ORDER BY m`,
    ),
  filterOfUnion: fc
    .tuple(part, part, tested)
    .map(
      ([one, other, x]) =>
        `SELECT count() AS n FROM (SELECT ${COLUMNS} FROM ${one} UNION ALL SELECT ${COLUMNS} FROM ${other}) AS a WHERE ${x('a')}`,
    ),
  scalar: fc
    .tuple(source, condition, partial)
    .map(
      ([from, x, e]) =>
        `SELECT (SELECT count() FROM ${from('a')} WHERE ${x('a')}) AS n, (SELECT max(toString(${e('b')})) FROM ${from('b')}) AS m`,
    ),
  named: fc
    .tuple(source, condition, condition, partial)
    .map(
      ([from, x, y, e]) =>
        `WITH seen AS (SELECT *, toString(${e('s')}) AS v FROM ${from('s')} WHERE ${x('s')}) SELECT count() AS n, max(v) AS m FROM seen AS a WHERE ${y('a')}`,
    ),
  limitBy: fc
    .tuple(source, partial, condition)
    .map(
      ([from, e, x]) =>
        `SELECT id FROM ${from('a')} WHERE ${x('a')} ORDER BY timestamp, id LIMIT 1 BY toString(${e('a')})`,
    ),
  nested: fc
    .tuple(source, condition, condition)
    .map(
      ([from, x, y]) =>
        `SELECT count() AS n FROM (SELECT * FROM (SELECT * FROM ${from('s')} ORDER BY timestamp, id) AS t WHERE ${x('t')}) AS a WHERE ${y('a')}`,
    ),
};

/** A statement and its shape. */
export interface Statement {
  readonly shape: string;
  readonly sql: string;
}

/** Generates this many different statements; all shapes are equally frequent. */
export function generateStatements(count: number, seed: number): readonly Statement[] {
  const shapes = Object.entries(SHAPES);
  const each = Math.ceil(count / shapes.length);
  return shapes.flatMap(([shape, statements], index) => {
    // A few more than needed, because some are duplicates.
    const generated = new Set(fc.sample(statements, { seed: seed + index, numRuns: 2 * each }));
    return [...generated].slice(0, each).map((sql) => ({ shape, sql }));
  });
}
