import fc from 'fast-check';

import { formatClickHouseTimestamp, parseIsoTimestamp } from '../../../src/endpoint/iso-timestamp.js';
import { anyText } from '../../support/any-text.js';

const EARLIEST = BigInt(Date.UTC(1900, 0, 1)) * 1000n;
const LATEST = BigInt(Date.UTC(2300, 0, 1)) * 1000n - 1n;

const read = (text: string, rounding?: 'floor' | 'ceil'): string | undefined => {
  const micros = parseIsoTimestamp(text, rounding);
  return micros === undefined ? undefined : formatClickHouseTimestamp(micros);
};

describe('parseIsoTimestamp', () => {
  it.each([
    ['a date', '2026-05-17', '2026-05-17 00:00:00.000000'],
    ['a date and time with a space', '2026-05-17 10:05:03', '2026-05-17 10:05:03.000000'],
    ['a date and time with a T', '2026-05-17T10:05:03', '2026-05-17 10:05:03.000000'],
    ['no seconds', '2026-05-17T10:05', '2026-05-17 10:05:00.000000'],
    ['no seconds but a zone', '2026-05-17T10:05+02:00', '2026-05-17 08:05:00.000000'],
    ['Z', '2026-05-17T10:05:03Z', '2026-05-17 10:05:03.000000'],
    ['lower case t and z', '2026-05-17t10:05:03z', '2026-05-17 10:05:03.000000'],
    ['a fraction of one digit', '2026-05-17T10:05:03.1Z', '2026-05-17 10:05:03.100000'],
    ['microseconds', '2026-05-17T10:05:03.123456Z', '2026-05-17 10:05:03.123456'],
    ['a fraction after a comma', '2026-05-17T10:05:03,25Z', '2026-05-17 10:05:03.250000'],
    ['a fraction without a zone', '2026-05-17 10:05:03.000001', '2026-05-17 10:05:03.000001'],
    ['a zone east of UTC', '2026-05-17T10:05:03.123456+02:00', '2026-05-17 08:05:03.123456'],
    ['a zone west of UTC, across midnight', '2026-12-31T20:00:00-05:30', '2027-01-01 01:30:00.000000'],
    ['a zone without a colon', '2026-05-17T10:05:03+0545', '2026-05-17 04:20:03.000000'],
    ['a zone without minutes', '2026-05-17T10:05:03-08', '2026-05-17 18:05:03.000000'],
    ['a leap day', '2024-02-29T12:00:00Z', '2024-02-29 12:00:00.000000'],
    ['a time before 1970', '1969-12-31T23:59:59.999999Z', '1969-12-31 23:59:59.999999'],
  ])('reads %s', (_what, text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    ['the empty text', ''],
    ['a word', 'yesterday'],
    ['a number of seconds', '1779012303'],
    ['a year and month', '2026-05'],
    ['no leading zeros', '2026-5-17'],
    ['the basic form', '20260517T100503Z'],
    ['a week date', '2026-W20-7'],
    ['the 13th month', '2026-13-01'],
    ['the 30th of February', '2026-02-30'],
    ['a leap day in another year', '2026-02-29'],
    ['the 24th hour', '2026-05-17T24:00:00Z'],
    ['the 60th minute', '2026-05-17T10:60:00Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['an hour without minutes', '2026-05-17T10'],
    ['a zone after a date without a time', '2026-05-17Z'],
    ['a zone of 24 hours', '2026-05-17T10:05:03+24:00'],
    ['a zone of 60 minutes', '2026-05-17T10:05:03+01:60'],
    ['a fraction without digits', '2026-05-17T10:05:03.Z'],
    ['a fraction of minutes', '2026-05-17T10:05.5Z'],
    ['a + that became a space', '2026-05-17T10:05:03 02:00'],
    ['surrounding white space', ' 2026-05-17 '],
    ['a trailing line feed', '2026-05-17\n'],
    ['digits of another script', '٢٠٢٦-٠٥-١٧'],
    ['a sixth digit in the year', '+002026-05-17'],
    ['the year 0', '0000-01-01'],
  ])('rejects %s', (_what, text) => {
    expect(read(text)).toBeUndefined();
  });

  it.each([
    ['1900-01-01', '1900-01-01 00:00:00.000000'],
    ['1899-12-31T23:30:00-01:00', '1900-01-01 00:30:00.000000'],
    ['2299-12-31T23:59:59.999999Z', '2299-12-31 23:59:59.999999'],
    ['2300-01-01T00:30:00+01:00', '2299-12-31 23:30:00.000000'],
  ])('accepts %s, which is within the range of ClickHouse', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    ['1899-12-31T23:59:59.999999Z'],
    ['1900-01-01T00:00:00+00:01'],
    ['2300-01-01'],
    ['2299-12-31T23:59:59.999999-00:01'],
    ['9999-12-31'],
  ])('rejects %s, which is outside the range of ClickHouse', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it.each([
    ['2026-05-17T10:05:03.1234569Z', '2026-05-17 10:05:03.123456', '2026-05-17 10:05:03.123457'],
    ['2026-05-17T10:05:03.1234560000Z', '2026-05-17 10:05:03.123456', '2026-05-17 10:05:03.123456'],
    ['2026-05-17T10:05:03.00000000001Z', '2026-05-17 10:05:03.000000', '2026-05-17 10:05:03.000001'],
    ['2026-12-31T23:59:59.9999991Z', '2026-12-31 23:59:59.999999', '2027-01-01 00:00:00.000000'],
    ['1969-12-31T23:59:59.9999991Z', '1969-12-31 23:59:59.999999', '1970-01-01 00:00:00.000000'],
    ['2299-12-31T23:59:59.9999991Z', '2299-12-31 23:59:59.999999', undefined],
  ])('rounds %s down with floor and up with ceil', (text, floor, ceil) => {
    expect(read(text, 'floor')).toBe(floor);
    expect(read(text, 'ceil')).toBe(ceil);
  });

  it('parses every timestamp that formatClickHouseTimestamp writes, in each form', () => {
    fc.assert(
      fc.property(fc.bigInt(EARLIEST, LATEST), (micros) => {
        const text = formatClickHouseTimestamp(micros);
        for (const form of [text, text.replace(' ', 'T'), `${text}Z`, `${text}+00:00`]) {
          expect(parseIsoTimestamp(form)).toBe(micros);
          expect(parseIsoTimestamp(form, 'ceil')).toBe(micros);
        }
      }),
    );
  });

  it('agrees with Date about every offset from UTC', () => {
    const minutes = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    const instant = fc.date({
      min: new Date('1901-01-01'),
      max: new Date('2298-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instant, minutes, (date, offset) => {
        const text = date.toISOString().slice(0, -1) + zoneOf(offset);
        expect(parseIsoTimestamp(text)).toBe(BigInt(Date.parse(text)) * 1000n);
      }),
    );
  });

  it('returns a timestamp within the range or undefined for any text, and never throws', () => {
    const digits = fc.stringMatching(
      /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d{0,9})?(Z|[+-]\d{2}:\d{2})?$/,
    );
    fc.assert(
      fc.property(fc.oneof(anyText(), digits), (text) => {
        const micros = parseIsoTimestamp(text);
        if (micros === undefined) return;
        expect(micros >= EARLIEST && micros <= LATEST).toBe(true);
      }),
    );
  });
});

function zoneOf(minutes: number): string {
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${twoDigits(hour)}:${twoDigits(minute)}`;
}
