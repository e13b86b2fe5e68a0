import fc from 'fast-check';

import { timestamp } from '../../../../src/endpoint/index.js';
import { declareByKind } from '../../../../src/endpoint/parameters/kinds.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

/** Microseconds since 1970 within the years that every zone's offset leaves valid. */
const micros = fc.bigInt({
  min: BigInt(Date.UTC(1900, 0, 3)) * 1000n,
  max: BigInt(Date.UTC(2299, 11, 29)) * 1000n,
});

describe('timestamp', () => {
  it('converts a value to the form that ClickHouse reads', () => {
    const value = valueOf(timestamp({ description }), '2026-05-17T10:05:03.123456+02:00');
    expect(value).toBe('2026-05-17 08:05:03.123456');
  });

  it('has one value for every zone in which a time is written', () => {
    const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(micros, offset, (time, minutes) => {
        const fraction = ((time % 1_000_000n) + 1_000_000n) % 1_000_000n;
        const milliseconds = Number((time - fraction) / 1000n);
        const digits = pad(Number(fraction), 6);
        const local = new Date(milliseconds + minutes * 60_000).toISOString().slice(0, 19);
        const size = Math.abs(minutes);
        const zone = `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
        const utc = new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
        expect(valueOf(timestamp({ description }), `${local}.${digits}${zone}`)).toBe(`${utc}.${digits}`);
      }),
    );
  });

  it('rounds a fraction finer than a microsecond in the direction that the declaration names', () => {
    const input = '2026-05-17T10:05:03.1234561Z';
    expect(valueOf(timestamp({ description }), input)).toBe('2026-05-17 10:05:03.123456');
    expect(valueOf(timestamp({ description, subMicrosecond: 'ceil' }), input)).toBe(
      '2026-05-17 10:05:03.123457',
    );
  });

  it.each(['yesterday', '2026-02-30', '1899-12-31', ' ', 'now', 'now-7d'])(
    'rejects %j and shows valid examples',
    (input) => {
      expect(problemOf(timestamp({ description }), input)).toMatch(/ISO 8601 .* such as 2026-05-17/);
    },
  );

  it.each([
    ['2026-05-17T10:05:03Z', true],
    ['1900-01-01t00:00:00.1z', true],
    ['2299-12-31T23:59:59.123456789+05:30', true],
    ['1899-12-31T12:00:00Z', false],
    ['2300-01-01T12:00:00Z', false],
    ['2026-05-17T10:05:60Z', false],
    ['yesterday', false],
  ])('has a pattern by which %j is valid: %j', (input, isValid) => {
    const parameter = timestamp({ description });
    expect(new RegExp(parameter.limits?.pattern ?? '', 'u').test(input)).toBe(isValid);
    expect(problemOf(parameter, input) === undefined).toBe(isValid);
  });

  it('treats the empty text as omitted, or as invalid if the declaration says so', () => {
    expect(valueOf(timestamp({ description }), '')).toBeUndefined();
    expect(problemOf(timestamp({ description, empty: 'problem' }), '')).toBe('must not be empty');
  });

  it('is within its bounds, inclusive', () => {
    const bounded = timestamp({ description, minimum: '2026-01-01', maximum: '2026-01-31T12:00+01:00' });
    expect(valueOf(bounded, '2026-01-01')).toBe('2026-01-01 00:00:00.000000');
    expect(valueOf(bounded, '2026-01-31T11:00Z')).toBe('2026-01-31 11:00:00.000000');
    expect(problemOf(bounded, '2026-01-31T11:00:00.000001Z')).toBe(
      'must be between 2026-01-01T00:00:00Z and 2026-01-31T11:00:00Z',
    );
    expect(problemOf(bounded, '2025-12-31T23:59:59.999999')).toBeDefined();
  });

  it.each([
    ['DateTime', '2026-05-17 10:05:03', '2026-05-17 10:05:04'],
    ["DateTime('UTC')", '2026-05-17 10:05:03', '2026-05-17 10:05:04'],
    ['DateTime64', '2026-05-17 10:05:03.123', '2026-05-17 10:05:03.124'],
    ['DateTime64(0)', '2026-05-17 10:05:03', '2026-05-17 10:05:04'],
    ["DateTime64(9, 'UTC')", '2026-05-17 10:05:03.123456', '2026-05-17 10:05:03.123457'],
  ])('bound as %s is rounded to its precision', (type, floor, ceil) => {
    const [down, up] = [{ description }, { description, subMicrosecond: 'ceil' as const }].map((options) =>
      declareByKind('timestamp', options, [type]),
    );
    expect(down && valueOf(down, '2026-05-17T10:05:03.1234561Z')).toBe(floor);
    expect(up && valueOf(up, '2026-05-17T10:05:03.1234561Z')).toBe(ceil);
  });

  it('fits every one of the types that the query binds it as', () => {
    const short = declareByKind('timestamp', { description }, ['DateTime64(3)', 'DateTime']);
    expect(problemOf(short, '1969-12-31T23:59:59Z')).toBe(
      'must be between 1970-01-01T00:00:00Z and 2106-02-07T06:28:15Z',
    );
    expect(valueOf(short, '2106-02-07T06:28:15.9Z')).toBe('2106-02-07 06:28:15');
    const nanoseconds = declareByKind('timestamp', { description }, ['DateTime64(9)']);
    expect(valueOf(nanoseconds, '2262-04-11')).toBe('2262-04-11 00:00:00.000000');
    expect(problemOf(nanoseconds, '2262-04-12')).toMatch(/and 2262-04-11T23:47:16Z$/);
  });

  it.each(["DateTime('Europe/Berlin')", "DateTime64(3, 'Asia/Tokyo')", 'DateTime64(x)', 'Date', 'String'])(
    'reports that it cannot be bound as %s',
    (type) => {
      expect(mistakesIn(declareByKind('timestamp', { description }, [type]))).toEqual([
        `the query binds it as ${type}; for kind timestamp write DateTime or DateTime64, in UTC`,
      ]);
    },
  );

  it.each([
    [{ minimum: 'soon' }, 'minimum "soon" must be an ISO 8601 timestamp'],
    [{ minimum: '2026-02-02', maximum: '2026-02-01' }, 'no value is valid'],
    [{ relativeStep: '5 minutes' }, 'relativeStep "5 minutes" must be a duration of seconds'],
    [{ relativeStep: '0m' }, 'relativeStep "0m" must be a duration of seconds'],
    [{ default: 'now-7d' }, 'default is a relative time: add relativeStep'],
    [{ default: 'now-7days', relativeStep: '1m' }, 'or a relative time, such as now-7d or now/d'],
    [{ default: '2020-01-01', minimum: '2021-01-01' }, 'default must be between 2021-01-01T00:00:00Z and'],
  ])('reports the options %j as a mistake', (options, problem) => {
    const mistakes = mistakesIn(timestamp({ description, ...(options as object) }));
    expect(mistakes).toEqual([expect.stringContaining(problem)]);
  });
});

describe('timestamp with relative times', () => {
  const since = timestamp({ description, relativeStep: '5m' });

  it('rounds now down to the step that the declaration names', () => {
    expect(valueOf(since, 'now')).toBe('2026-05-17 10:05:00.000000');
    expect(valueOf(since, 'now', new Date('2026-05-17T10:09:59.999Z'))).toBe('2026-05-17 10:05:00.000000');
    expect(valueOf(since, 'now', new Date('2026-05-17T10:10:00Z'))).toBe('2026-05-17 10:10:00.000000');
  });

  it.each([
    ['now-7d', '2026-05-10 10:05:00.000000'],
    ['now-7d/d', '2026-05-10 00:00:00.000000'],
    ['now/w', '2026-05-11 00:00:00.000000'],
    ['now+1h', '2026-05-17 11:05:00.000000'],
    ['now 1h', '2026-05-17 11:05:00.000000'],
  ])('resolves %s', (input, value) => {
    expect(valueOf(since, input)).toBe(value);
  });

  it('still accepts ISO 8601', () => {
    expect(valueOf(since, '2026-05-17')).toBe('2026-05-17 00:00:00.000000');
  });

  it('has a default that follows the clock', () => {
    const recent = timestamp({ description, relativeStep: '1d', default: 'now-1d', minimum: '2020-01-01' });
    expect(mistakesIn(recent)).toEqual([]);
    expect(valueOf(recent, undefined)).toBe('2026-05-16 00:00:00.000000');
    expect(valueOf(recent, undefined, new Date('2026-05-18T00:00:00Z'))).toBe('2026-05-17 00:00:00.000000');
  });

  it('has a relative default for the types of seconds too', () => {
    const seconds = declareByKind(
      'timestamp',
      { description, relativeStep: '1m', default: 'now-7d' } as { description: string },
      ['DateTime'],
    );
    expect(mistakesIn(seconds)).toEqual([]);
    expect(valueOf(seconds, undefined)).toBe('2026-05-10 10:07:00');
  });

  it('rejects a relative time outside of its bounds, or of every calendar', () => {
    expect(problemOf(since, 'now-300y')).toMatch(/^must be between 1900-01-01T00:00:00Z/);
    expect(problemOf(since, 'now-999999y')).toMatch(/or a relative time, such as now-7d or now\/d$/);
    expect(
      problemOf(timestamp({ description, relativeStep: '1m', minimum: '2026-01-01' }), 'now-1y'),
    ).toMatch(/^must be between 2026-01-01T00:00:00Z/);
  });

  it('says in its documentation how relative times are written', () => {
    expect(since.syntax).toMatch(/relative to now, rounded down to 5m: now-7d/);
    expect(since.relativeStepMs).toBe(300_000);
    expect(since.jsonSchema).not.toHaveProperty('format');
  });
});
