import fc from 'fast-check';

import {
  decimal,
  integer,
  listOf,
  number,
  text,
  timestamp,
  timezone,
  uuid,
} from '../../../../src/endpoint/index.js';
import { declareByKind } from '../../../../src/endpoint/parameters/kinds.js';
import { numberOfCharacters } from '../../../../src/endpoint/parameters/text.js';
import { anyText } from '../../../support/any-text.js';
import { description, problemOf, valueOf } from '../../../support/read-parameter.js';

/** A digit sequence with its sign in front of as many zeros as a caller may write. */
const signed = (value: bigint, digits: string): string => `${value < 0n ? '-' : ''}${digits}`;
const size = (value: bigint): bigint => (value < 0n ? -value : value);

const SCALE = 9;
/** A decimal number as a whole number of billionths. */
const billionths = fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n });

function written(value: bigint): string {
  const digits = String(size(value)).padStart(SCALE + 1, '0');
  return signed(value, `${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`);
}

/** Reads a canonical value without the code under test. */
function billionthsOf(value: string): bigint {
  const [whole = '', fraction = ''] = value.replace('-', '').split('.');
  return BigInt(whole + fraction.padEnd(SCALE, '0')) * (value.startsWith('-') ? -1n : 1n);
}

describe('one value for every spelling', () => {
  it('of a text, which is the text itself', () => {
    fc.assert(
      fc.property(anyText(), (input) => {
        expect(valueOf(text({ description }), input)).toBe(input);
        expect(numberOfCharacters(input)).toBe(Array.from(input).length);
      }),
    );
  });

  it('of a whole number', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(int64, fc.nat({ max: 30 }), (value, zeros) => {
        const sent = signed(value, '0'.repeat(zeros) + String(size(value)));
        expect(valueOf(integer({ description }), sent)).toBe(String(value));
      }),
    );
  });

  it('of a number, equal to the number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const read = valueOf(number({ description }), String(value));
        expect(Number(read)).toBe(value + 0);
        expect(valueOf(number({ description }), value.toExponential())).toBe(read);
      }),
    );
  });

  it('of a decimal number, exact, as the comparison with its bounds is', () => {
    fc.assert(
      fc.property(billionths, billionths, fc.nat({ max: 20 }), (value, bound, zeros) => {
        const sent = signed(value, '0'.repeat(zeros) + written(size(value)) + '0'.repeat(zeros));
        const read = valueOf(decimal({ description }), sent) as string;
        expect(billionthsOf(read)).toBe(value);
        expect(read).toMatch(/^(?:0|-?(?:0\.\d*[1-9]|[1-9]\d*(?:\.\d*[1-9])?))$/);
        const [least, greatest] = [{ minimum: written(bound) }, { maximum: written(bound) }].map((bounds) =>
          problemOf(decimal({ description, ...bounds }), sent),
        );
        expect([least === undefined, greatest === undefined]).toEqual([value >= bound, value <= bound]);
      }),
    );
  });

  it('of a UUID', () => {
    fc.assert(
      fc.property(fc.uuid(), (value) => {
        expect(valueOf(uuid({ description }), value.toUpperCase())).toBe(value);
      }),
    );
  });

  it('of every time zone of Node.js, in any letter case', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) {
      if (name === 'America/Coyhaique') continue;
      const value = valueOf(timezone({ description }), name);
      expect(valueOf(timezone({ description }), name.toLowerCase())).toBe(value);
      expect(valueOf(timezone({ description }), String(value))).toBe(value);
    }
  });

  it('of the items of a set, in any order and repetition', () => {
    const items = fc.array(fc.nat(), { minLength: 1, maxLength: 20 });
    const list = listOf('integer', { description, set: true });
    fc.assert(
      fc.property(items, fc.func(fc.nat()), (numbers, rank) => {
        const other = [...numbers, numbers[0]].sort((a, b) => rank(a) - rank(b));
        expect(valueOf(list, other.map((each) => `+0${String(each)}`).join(','))).toEqual(
          valueOf(list, numbers.join(',')),
        );
      }),
    );
  });
});

it('asks Node.js once for a time zone that a list repeats in several letter cases', () => {
  const { DateTimeFormat } = Intl;
  let created = 0;
  Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
    construct: (target, args) => {
      created += 1;
      return Reflect.construct(target, args) as object;
    },
  });
  try {
    const sent = `${'Asia/Tokyo,asia/tokyo,ASIA/TOKYO,'.repeat(100)}Asia/Tokyo`;
    expect(valueOf(listOf('timezone', { description, set: true }), sent)).toEqual(['Asia/Tokyo']);
  } finally {
    Intl.DateTimeFormat = DateTimeFormat;
  }
  expect(created).toBeLessThanOrEqual(1);
});

describe('a timestamp', () => {
  it.each([
    ['DateTime', '2026-05-17 10:05:03', '2026-05-17 10:05:04'],
    ['DateTime64(3)', '2026-05-17 10:05:03.123', '2026-05-17 10:05:03.124'],
    ["DateTime64(9, 'UTC')", '2026-05-17 10:05:03.123456', '2026-05-17 10:05:03.123457'],
  ])('bound as %s is rounded to its precision', (type, floor, ceil) => {
    const options = { description, subMicrosecond: 'ceil' } as { description: string };
    const sent = '2026-05-17T10:05:03.1234561Z';
    expect(valueOf(declareByKind('timestamp', { description }, [type]), sent)).toBe(floor);
    expect(valueOf(declareByKind('timestamp', options, [type]), sent)).toBe(ceil);
  });

  it.each([
    ['2026-05-17T10:05:03Z', true],
    ['2299-12-31t23:59:59.123456789+05:30', true],
    ['1899-12-31T12:00:00Z', false],
    ['2026-05-17T10:05:60Z', false],
  ])('has a pattern by which %j is valid: %j', (input, isValid) => {
    const parameter = timestamp({ description });
    expect(new RegExp(parameter.limits?.pattern ?? '', 'u').test(input)).toBe(isValid);
    expect(problemOf(parameter, input) === undefined).toBe(isValid);
  });

  it('has a relative default that follows the clock, rounded down to the step', () => {
    const options = { description, relativeStep: '5m', default: 'now-1d' };
    const [recent, seconds] = [[], ['DateTime']].map((types) =>
      declareByKind('timestamp', options as { description: string }, types),
    );
    expect(recent && valueOf(recent, undefined)).toBe('2026-05-16 10:05:00.000000');
    expect(recent && valueOf(recent, undefined, new Date('2026-05-18T00:09:59.999Z'))).toBe(
      '2026-05-17 00:05:00.000000',
    );
    expect(seconds && valueOf(seconds, undefined)).toBe('2026-05-16 10:05:00');
  });
});
