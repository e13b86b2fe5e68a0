import * as fc from 'fast-check';

import { MAX_VALUE_BYTES } from '../../../../src/endpoint/parameters/parameter.js';

/** Constructs of ClickHouse's grammar that can contain each other: what opens one, and what closes it. */
const CONSTRUCTS: readonly (readonly [open: string, close: string])[] = [
  ['CASE WHEN 1 THEN ', ' END'],
  ['CASE WHEN ', ' THEN 1 END'],
  ['CASE 1 WHEN 1 THEN 1 ELSE ', ' END'],
  ['(', ')'],
  ['(1, ', ')'],
  ['[', ']'],
  ['{1: ', '}'],
  ['{a:', '}'],
  ['abs(', ')'],
  ['if(1, ', ', 1)'],
  ['CAST(', ' AS Int8)'],
  ['', '::Int8'],
  ['- ', ''],
  ['NOT ', ''],
  ['1 + ', ''],
  ['1 AND ', ''],
  ['1 OR (', ')'],
  ['1 ? ', ' : 1'],
  ['1 ? 1 : ', ''],
  ['x -> ', ''],
  ['f((x, y) -> [', '], 1)'],
  ['(SELECT ', ')'],
  ['EXISTS (SELECT ', ')'],
  ['1 IN (', ')'],
  ['1 NOT IN (SELECT ', ')'],
  ['1 = ANY (SELECT ', ')'],
  ['1 BETWEEN ', ' AND 1'],
  ['1 BETWEEN 1 AND ', ''],
  ["'a' LIKE ", ''],
  ['', ' IS NULL'],
  ['INTERVAL ', ' DAY'],
  ['INTERVAL (', ') DAY'],
  ['EXTRACT(DAY FROM ', ')'],
  ["TRIM(BOTH ' ' FROM ", ')'],
  ['SUBSTRING(', ' FROM 1)'],
  ['DATE_ADD(DAY, 1, ', ')'],
  ['sum(1) OVER (PARTITION BY ', ')'],
  ['sum(1) FILTER (WHERE ', ')'],
  ['COLUMNS(', ')'],
  ['* APPLY(', ')'],
  ['* REPLACE(', ' AS x)'],
  ['', '.1'],
  ['', '[1]'],
  ['(', ' AS x)'],
  ['1, ', ''],
  ['−', ''],
  ['DATE ', ''],
  ['1 || ', ''],
  ['(WITH x AS (SELECT 1) SELECT ', ')'],
  ['1 FROM (SELECT ', ')'],
  ['1 UNION ALL (SELECT ', ')'],
  ['1 ORDER BY 1 WITH FILL FROM ', ''],
  ['1 GROUP BY GROUPING SETS ((', '))'],
  ['1 SETTINGS a = ', ''],
  ['1 LIMIT ', ' BY 1'],
];

const PREFIX = 'SELECT ';

/** Opens constructs until the text is as long as a text may be; then closes some of them, or none. */
function nested(order: readonly number[], closed: number): string {
  let [opened, closing] = ['', ''];
  for (let at = 0; ; at += 1) {
    const [open, close] = CONSTRUCTS[order[at % order.length] ?? 0] ?? ['', ''];
    const next = Buffer.byteLength(PREFIX + opened + open + '1' + close + closing);
    if (next > MAX_VALUE_BYTES) break;
    opened += open;
    closing = close + closing;
  }
  return PREFIX + opened + '1' + closing.slice(0, Math.floor(closing.length * closed));
}

/** Each construct in itself, open and closed. */
export const ALONE: readonly string[] = CONSTRUCTS.flatMap((_, index) =>
  [0, 0.5, 1].map((closed) => nested([index], closed)),
);

/** Constructs in each other. */
export function mixed(count: number, seed: number): readonly string[] {
  const index = fc.nat(CONSTRUCTS.length - 1);
  const text = fc
    .tuple(fc.array(index, { minLength: 2, maxLength: 6 }), fc.constantFrom(0, 0.9, 1))
    .map(([order, closed]) => nested(order, closed));
  return fc.sample(text, { numRuns: count, seed });
}
