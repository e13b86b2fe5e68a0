const nested = (depth: number, open: string, core: string, close: string): string =>
  open.repeat(depth) + core + close.repeat(depth);

/** Statements that are too deep or too long, or that expand to more than they seem. */
export const SIZES: readonly string[] = [
  `SELECT ${nested(400, '(', '1', ')')}`,
  `SELECT ${nested(400, '[', '1', ']')}`,
  `SELECT ${nested(400, 'abs(', '1', ')')}`,
  nested(200, 'SELECT * FROM (', 'SELECT 1', ')'),
  `SELECT ${nested(2000, 'NOT ', '1', '')}`,
  `SELECT 1${' + 1'.repeat(2500)}`,
  `SELECT '${'a'.repeat(9000)}'`,
  `SELECT '${'é'.repeat(4100)}'`,
  `SELECT ${'x,'.repeat(4050)}1`,
  `WITH c0 AS (SELECT 1 AS x), ${Array.from({ length: 30 }, (_, i) => `c${i + 1} AS (SELECT l.x FROM c${i} AS l, c${i} AS r)`).join(', ')} SELECT * FROM c30`,
  `SELECT count() FROM ${Array.from({ length: 30 }, (_, i) => `result AS r${i}`).join(', ')}`,
  `WITH a AS (SELECT count() AS n FROM result AS x, result AS y, result AS z), b AS (SELECT sum(p.n) AS n FROM a AS p, a AS q, a AS r), c AS (SELECT p.n FROM b AS p, b AS q) SELECT * FROM b, c`,
];
