import * as fc from 'fast-check';

import {
  clockAt,
  microsOf,
  MINUTE,
  SECOND,
  startOf,
  type Bound,
  type Micros,
} from '../../support/models/time.js';
import type { Storage } from './endpoint-under-test.js';

/** Runs per property, each with other records: set PROPERTY_RUNS=100 after changing the query under test. */
export const PROPERTY_RUNS = Number(process.env['PROPERTY_RUNS'] ?? 5);

/** For all runs of a property on a loaded machine. fast-check has no time limit: it would not await interrupted runs. */
export const PROPERTY_TIMEOUT_MS = 240_000;

/** Texts that were once mistaken for something else: null, escapes, wildcards, placeholders, SQL. */
const AWKWARD = [
  '',
  'null',
  'NULL',
  '\\N',
  'a',
  'A',
  ' a',
  'a,b',
  '%',
  '_',
  "'",
  '"',
  '`',
  '\\',
  '\\\\',
  "\\'",
  '\\n',
  '\n',
  '\t',
  '\r',
  '\b',
  '\u0001',
  '[',
  '{a:String}',
  '${a}',
  '@now',
  '--',
  'é',
  'É',
  'ς',
  '😀',
  '\ufeff',
  '\uffee',
  '\u2028',
];

/** Short texts with many duplicates; none with a null byte, which no parameter can have. */
export const awkwardText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', 'a', 'A', 'b', "'", '\\N') },
  { weight: 3, arbitrary: fc.constantFrom(...AWKWARD) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', maxLength: 3 }).map((text) => text.replaceAll('\0', '')),
  },
);

/** A nullable column: null, empty or awkward. */
export const nullableText: fc.Arbitrary<string | null> = fc.option(awkwardText, { freq: 4 });

/** Text that a search matches or just misses: letters of several scripts in both cases, and LIKE's wildcards. */
export const searchableText: fc.Arbitrary<string> = fc.string({
  unit: fc.constantFrom(...Array.from('aAbéÉжЖσςΣßẞſsSkK%_\\\'"\t\n 😀ﬁfiI\u0307')),
  maxLength: 6,
});

/** One of these times, a time a microsecond from one, or any time between the first and the last. */
export function timeAround(...moments: readonly [Micros, ...Micros[]]): fc.Arbitrary<Micros> {
  const sorted = [...moments].sort((a, b) => Number(a - b));
  const [min = 0n, max = min] = [sorted.at(0), sorted.at(-1)];
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constantFrom(...sorted), fc.constantFrom(-1n, 0n, 1n)).map(([a, b]) => a + b),
    },
    { weight: 1, arbitrary: fc.bigInt({ min, max }) },
  );
}

export const storage: fc.Arbitrary<Storage> = fc.record({
  inserts: fc.integer({ min: 1, max: 4 }),
  merged: fc.boolean(),
});

/** A clock that shows, to the millisecond, a time near the full minute of a moment. */
export function clockAround(moment: Micros): fc.Arbitrary<Micros> {
  const millis = fc.constantFrom(0n, 1n, 999n, -1n, 30_500n);
  return millis.map((offset) => startOf(MINUTE, moment) + offset * (SECOND / 1000n));
}

/** The first and the last bound that a parameter may have, and the limits of ClickHouse's types between them. */
const EXTREME = fc.constantFrom(
  ...[
    '1900-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999999Z',
    '2106-02-07T06:28:16Z',
    '2299-12-31T23:59:59.999999Z',
  ].map((text) => ({ text, nanos: microsOf(text) * 1000n })),
);

/** A bound at such a time or shortly after it, in one of the notations of ISO 8601, or an extreme one. */
export function boundAround(...moments: readonly [Micros, ...Micros[]]): fc.Arbitrary<Bound> {
  const near: fc.Arbitrary<Bound> = fc
    .record({
      time: timeAround(...moments),
      finer: fc.constantFrom(0n, 0n, 1n, 999n),
      offsetMinutes: fc.constantFrom(0n, 0n, 120n, -330n, 840n),
      separator: fc.constantFrom('T', ' '),
      withZone: fc.boolean(),
    })
    .map(({ time, finer, offsetMinutes, separator, withZone }) => {
      const offset = withZone ? offsetMinutes : 0n;
      const local = time + offset * MINUTE;
      const wallClock = clockAt(local).toISOString().slice(0, 19).replace('T', separator);
      const fraction = ((local % SECOND) * 1000n + finer).toString().padStart(9, '0');
      return {
        text: `${wallClock}.${fraction}${withZone ? printOffset(offset) : ''}`,
        nanos: time * 1000n + finer,
      };
    });
  return fc.oneof({ weight: 8, arbitrary: near }, { weight: 1, arbitrary: EXTREME });
}

/** At most this many of the fields, so that filters match some records. */
export function fewOf<Fields extends object>(
  fields: { readonly [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
  most: number,
): fc.Arbitrary<Partial<Fields>> {
  const names = fc.subarray(Object.keys(fields), { maxLength: most });
  return fc
    .tuple(fc.record<Fields>(fields), names)
    .map(
      ([record, names]) =>
        Object.fromEntries(
          Object.entries(record).filter(([name]) => names.includes(name)),
        ) as Partial<Fields>,
    );
}

/** The parameters of a request: every value as text, without the undefined ones. */
export function asSent(parameters: object): Record<string, string> {
  const entries = Object.entries(parameters) as [string, string | Bound | undefined][];
  return Object.fromEntries(
    entries.flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : value.text]],
    ),
  );
}

function printOffset(minutes: bigint): string {
  if (minutes === 0n) return 'Z';
  const size = minutes < 0n ? -minutes : minutes;
  const [hours, rest] = [size / 60n, size % 60n].map((part) => String(part).padStart(2, '0'));
  return `${minutes < 0n ? '-' : '+'}${hours}:${rest}`;
}
