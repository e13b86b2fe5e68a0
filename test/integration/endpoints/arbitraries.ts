import * as fc from 'fast-check';

import { clockAt, MINUTE, SECOND, startOf, type Bound, type Micros } from '../../support/models/time.js';

/** Runs of a property, each with other records: PROPERTY_RUNS=100 after a change of the query that it is about. */
export const PROPERTY_RUNS = Number(process.env['PROPERTY_RUNS'] ?? 5);

/** For all runs of a property on a loaded machine. Their number bounds them: fast-check does not await a run that it interrupts. */
export const PROPERTY_TIMEOUT_MS = 240_000;

/** Texts that have been mistaken for something else before: null, escapes, wildcards, placeholders, SQL. */
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

/** Short texts, often the same; none with a null byte, which no parameter can have. */
export const awkwardText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', 'a', 'A', 'b', "'", '\\N') },
  { weight: 3, arbitrary: fc.constantFrom(...AWKWARD) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', maxLength: 3 }).map((text) => text.replaceAll('\0', '')),
  },
);

/** A nullable column: null, empty and nasty. */
export const nullableText: fc.Arbitrary<string | null> = fc.option(awkwardText, { freq: 4 });

/** Text in which a search can hit or just miss: letters of several scripts in both cases, and what LIKE would read. */
export const searchableText: fc.Arbitrary<string> = fc.string({
  unit: fc.constantFrom(...Array.from('aAbéÉжЖσςΣßẞſsSkK%_\\\'"\t\n 😀ﬁfiI\u0307')),
  maxLength: 6,
});

/** A time that is one of these, a microsecond beside it, or anywhere between the first and the last. */
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

/** A clock that shows, to the millisecond, a time at or beside the full minute of a moment. */
export function clockAround(moment: Micros): fc.Arbitrary<Micros> {
  const millis = fc.constantFrom(0n, 1n, 999n, -1n, 30_500n);
  return millis.map((offset) => startOf(MINUTE, moment) + offset * (SECOND / 1000n));
}

/** A bound at such a time or a little after it, written in one of the ways that ISO 8601 has. */
export function boundAround(...moments: readonly [Micros, ...Micros[]]): fc.Arbitrary<Bound> {
  return fc
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
}

/** At most so many of these fields, for filters that leave something over. */
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

/** What a caller sends: every parameter as text, those that are undefined left out. */
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
