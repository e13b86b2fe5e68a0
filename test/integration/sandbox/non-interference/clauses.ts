import * as fc from 'fast-check';

import { PARTIAL } from './partial-expressions.js';

/** The nine parts of `logs.all`, and its result. */
export const PARTS = [
  'edge_source',
  'database_source',
  'function_relay_source',
  'function_event_source',
  'auth_source',
  'realtime_source',
  'storage_source',
  'rest_source',
  'pooler_source',
  'result',
] as const;

/** The part without a row that the caller may see. */
export const EMPTY_PART = 'pooler_source';

/** Writes SQL about the rows of an alias. */
export type Write = (alias: string) => string;

export const COLUMNS = 'id, timestamp, event_message, metadata';

/** `result` is less frequent than the parts: a query of it costs ClickHouse several times as much. */
export const part = fc.constantFrom(...PARTS, ...PARTS.filter((name) => name !== 'result'));
export const few = fc.integer({ min: 0, max: 6 });

/** An expression that, in some tables, throws on a row that the caller may see. */
export const trap = few.map((n) => `intDiv(10, toInt64(event_message) - ${2 * n})`);

/** An expression that throws on some values; sometimes one that throws on a row that the caller may see. */
export const partial: fc.Arbitrary<Write> = fc
  .oneof({ weight: 30, arbitrary: fc.constantFrom(...PARTIAL) }, { weight: 1, arbitrary: trap })
  .map(
    (expression) => (alias) =>
      expression.replaceAll(/\b(?:id|timestamp|event_message|metadata)\b/g, `${alias}.$&`),
  );

const total: fc.Arbitrary<Write> = fc.oneof(
  few.map(
    (n): Write =>
      (a) =>
        `length(${a}.event_message) > ${n}`,
  ),
  few.map(
    (n): Write =>
      (a) =>
        `cityHash64(${a}.id) % 7 != ${n}`,
  ),
  few.map(
    (n): Write =>
      (a) =>
        `${a}.event_message LIKE '%${n}%'`,
  ),
  few.map(
    (n): Write =>
      (a) =>
        `${a}.timestamp >= toDateTime64('2096-02-29 1${n}:30:00', 6, 'UTC')`,
  ),
  fc.constant<Write>((a) => `position(${a}.metadata, 'SECRET') = 0`),
);

/** Conditions on a value, written `@`. */
const TESTS = [
  "toString(@) != 'x'",
  'isNotNull(@)',
  'NOT ignore(@)',
  'length(toString(@)) > 2',
  "toString(@) IN ('1', '2', '10', 'true')",
  "toString(@) NOT IN ('3', 'false')",
  "toString(@) BETWEEN '0' AND 'z'",
  "toString(@) LIKE '%1%'",
  "coalesce(toString(@), '') = '1'",
  "arrayExists(x -> x < toString(@), ['1', 'a'])",
  'cityHash64(toString(@)) % 2 = 0',
  '(@ = @) = 1',
  "multiIf(1 = 2, 1 = 1, toString(@) > '1', 1 = 1, 1 = 2)",
  "CASE WHEN toString(@) > '1' THEN 1 ELSE 0 END = 1",
  "transform(toString(@), ['1'], ['a'], 'b') = 'b'",
] as const;

export const tested = fc.tuple(fc.constantFrom(...TESTS), partial).map(
  ([test, value]): Write =>
    (a) =>
      test.replaceAll('@', () => value(a)),
);

/** Conditions on rows; a subquery calls its own rows `inner` and may refer to the outer ones. */
export const condition: fc.Arbitrary<Write> = fc.oneof(
  { weight: 6, arbitrary: tested },
  {
    weight: 2,
    arbitrary: fc.tuple(tested, total).map(
      ([x, y]): Write =>
        (a) =>
          `${x(a)} AND ${y(a)}`,
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(tested, total).map(
      ([x, y]): Write =>
        (a) =>
          `(${y(a)} OR ${x(a)})`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(tested, tested).map(
      ([x, y]): Write =>
        (a) =>
          `(${x(a)} OR NOT ${y(a)})`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(tested, total).map(
      ([x, y]): Write =>
        (a) =>
          `if(${y(a)}, ${x(a)}, 0)`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(part, tested, fc.constantFrom('IN', 'NOT IN', 'GLOBAL IN')).map(
      ([from, x, is]): Write =>
        (a) =>
          `${a}.id ${is} (SELECT inner.id FROM ${from} AS inner WHERE ${x('inner')})`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(part, tested, fc.constantFrom('', 'NOT ')).map(
      ([from, x, not]): Write =>
        (a) =>
          `${not}EXISTS (SELECT 1 FROM ${from} AS inner WHERE inner.event_message = ${a}.event_message AND ${x('inner')})`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(part, tested).map(
      ([from, x]): Write =>
        (a) =>
          `${a}.timestamp <= (SELECT max(inner.timestamp) FROM ${from} AS inner WHERE ${x('inner')})`,
    ),
  },
);

/** Items of FROM under an alias. */
export const source: fc.Arbitrary<Write> = fc.oneof(
  {
    weight: 4,
    arbitrary: part.map(
      (from): Write =>
        (a) =>
          `${from} AS ${a}`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(part, total).map(
      ([from, x]): Write =>
        (a) =>
          `(SELECT ${COLUMNS} FROM ${from} AS s WHERE ${x('s')}) AS ${a}`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(part, few).map(
      ([from, n]): Write =>
        (a) =>
          `(SELECT ${COLUMNS} FROM ${from} AS s ORDER BY timestamp DESC, id LIMIT ${n + 2}) AS ${a}`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(part, part).map(
      ([one, other]): Write =>
        (a) =>
          `(SELECT ${COLUMNS} FROM ${one} UNION ALL SELECT ${COLUMNS} FROM ${other}) AS ${a}`,
    ),
  },
);
