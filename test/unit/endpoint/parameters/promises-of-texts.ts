import { each, same, type Promises } from './promises.js';

const DATE = 'must be a date between 1900-01-01 and 2299-12-31, such as 2026-05-17';
const TIME = 'must be an ISO 8601 timestamp between 1900 and 2299, such as 2026-05-17';
const ZONE = 'must be a time zone of the IANA database, such as Europe/Berlin or UTC';
const ID = 'must be a UUID, such as 61f0c404-5cb3-11e7-907b-a6006ad3dba0';

/** The kinds of texts and times. */
export const TEXTS = {
  string: {
    values: [
      ...same([' ', ' padded ', '%_\\', "'; DROP TABLE logs --", 'É Ж 😀', '__proto__', '{#problem}']),
      ...same(['😀😀'], { maxLength: 2 }),
      ...same(['DE'], { pattern: '^[A-Z]{2}$' }),
    ],
    problems: [
      ['😀😀😀', 'must be at most 2 characters', { maxLength: 2 }],
      ['DEU', 'must match ^[A-Z]{2}$', { pattern: '^[A-Z]{2}$' }],
      // In linear time.
      [`${'a'.repeat(8000)}b`, 'must match ^(a+)+$', { pattern: '^(a+)+$' }],
    ],
    mistakes: [
      [{ pattern: '(' }, 'pattern "(" must be a regular expression (RE2)'],
      [{ maxLength: 0 }, 'maxLength 0 must be a whole number of at least 1'],
      [{ default: 'abc', maxLength: 2 }, 'default must be at most 2 characters'],
      [{ default: '', empty: 'problem' }, 'default must not be empty'],
    ],
    types: [[['String'], ['a'], []]],
    otherTypes: ['UInt8', 'Identifier'],
  },
  date: {
    values: [
      ...same(['1900-01-01', '1969-12-31', '2024-02-29', '2299-12-31']),
      ...same(['2026-01-01', '2026-12-31'], { minimum: '2026-01-01', maximum: '2026-12-31' }),
    ],
    problems: [
      ...each(['2023-02-29', '2026-13-01', '1899-12-31', '2300-01-01', '2026-5-1', '20260501', ' '], DATE),
      ['2026-05-01T00:00', DATE],
      ['2025-12-31', 'must be a date between 2026-01-01 and', { minimum: '2026-01-01' }],
      ['2027-01-01', 'must be a date between 1900-01-01 and 2026-12-31', { maximum: '2026-12-31' }],
    ],
    mistakes: [
      [{ minimum: '2026-02-30' }, 'minimum "2026-02-30" must be a date, such as 2026-05-17'],
      [{ minimum: '2026-02-02', maximum: '2026-02-01' }, 'no value is valid'],
      [{ default: '2025-12-31', minimum: '2026-01-01' }, 'default must be a date between 2026-01-01'],
    ],
    types: [
      [
        ['Date32', 'Date'],
        ['1970-01-01', '2149-06-06'],
        ['1969-12-31', '2149-06-07'],
      ],
    ],
    otherTypes: ['DateTime'],
  },
  timestamp: {
    values: [
      ['2026-05-17T10:05:03.123456+02:00', '2026-05-17 08:05:03.123456'],
      ['2026-05-17T10:05:03.1234561Z', '2026-05-17 10:05:03.123456'],
      ['2026-05-17T10:05:03.1234561Z', '2026-05-17 10:05:03.123457', { subMicrosecond: 'ceil' }],
      ['2026-01-01', '2026-01-01 00:00:00.000000', { minimum: '2026-01-01' }],
      ['2026-01-31T11:00Z', '2026-01-31 11:00:00.000000', { maximum: '2026-01-31T12:00+01:00' }],
      // Relative times; the clock of the tests shows 10:07:30.
      ['now', '2026-05-17 10:05:00.000000', { relativeStep: '5m' }],
      ['now-7d/d', '2026-05-10 00:00:00.000000', { relativeStep: '5m' }],
      ['now 1h', '2026-05-17 11:05:00.000000', { relativeStep: '5m' }],
      ['2026-05-17', '2026-05-17 00:00:00.000000', { relativeStep: '5m' }],
    ],
    problems: [
      ...each(['yesterday', '2026-02-30', '1899-12-31', ' ', 'now', 'now-7d'], TIME),
      [
        '2026-01-31T11:00:00.000001Z',
        'must be between 1900-01-01T00:00:00Z and 2026-01-31T11:00:00Z',
        { maximum: '2026-01-31T12:00+01:00' },
      ],
      ['2025-12-31T23:59:59.999999', 'must be between 2026-01-01T00:00:00Z', { minimum: '2026-01-01' }],
      ['now-300y', 'must be between 1900-01-01T00:00:00Z', { relativeStep: '5m' }],
      ['now-999999y', TIME, { relativeStep: '5m' }],
      ['now-1y', 'must be between 2026-01-01T00:00:00Z', { relativeStep: '1m', minimum: '2026-01-01' }],
    ],
    mistakes: [
      [{ minimum: 'soon' }, 'minimum "soon" must be an ISO 8601 timestamp'],
      [{ minimum: '2026-02-02', maximum: '2026-02-01' }, 'no value is valid'],
      [{ relativeStep: '5 minutes' }, 'relativeStep "5 minutes" must be a duration of seconds'],
      [{ default: 'now-7d' }, 'default is a relative time: add relativeStep'],
      [{ default: 'now-7days', relativeStep: '1m' }, 'or a relative time, such as now-7d or now/d'],
      [{ default: '2020-01-01', minimum: '2021-01-01' }, 'default must be between 2021-01-01T00:00:00Z and'],
    ],
    types: [
      [
        ['DateTime64(3)', 'DateTime'],
        ['1970-01-01', '2106-02-07T06:28:15.9Z'],
        ['1969-12-31T23:59:59Z', '2106-02-07T06:28:16Z'],
      ],
      [['DateTime64(9)'], ['2262-04-11'], ['2262-04-12']],
    ],
    otherTypes: [
      "DateTime('Europe/Berlin')",
      "DateTime64(3, 'Asia/Tokyo')",
      'DateTime64(x)',
      'Date',
      'String',
    ],
  },
  uuid: {
    values: [['61F0C404-5cb3-11e7-907b-A6006AD3DBA0', '61f0c404-5cb3-11e7-907b-a6006ad3dba0']],
    problems: each(
      ['61f0c4045cb311e7907ba6006ad3dba0', '{61f0c404-5cb3-11e7-907b-a6006ad3dba0}', 'x', ' '],
      ID,
    ),
    mistakes: [[{ default: 'none' }, `default ${ID}`]],
    types: [[['UUID'], ['61f0c404-5cb3-11e7-907b-a6006ad3dba0'], ['x']]],
    otherTypes: ['String'],
  },
  enum: {
    options: { choices: ['hourly', 'daily'] },
    values: same(['hourly', 'daily']),
    problems: each(['weekly', 'HOURLY', ' hourly'], 'must be one of hourly, daily'),
    mistakes: [
      ...[[], ['a', 'a'], [1]].map(
        (choices) => [{ choices }, 'must be an array of strings, at least one'] as const,
      ),
      [{ default: 'c' }, 'default must be one of hourly, daily'],
    ],
    types: [[['Identifier'], ['daily'], ['x']]],
    otherTypes: ['UInt8'],
    ofEmpty: 'must be one of hourly, daily',
  },
  timezone: {
    values: [
      ['europe/berlin', 'Europe/Berlin'],
      ['AMERICA/ARGENTINA/BUENOS_AIRES', 'America/Buenos_Aires'],
      ['Etc/UTC', 'UTC'],
      ['Etc/GMT+5', 'Etc/GMT+5'],
    ],
    problems: each(
      ['+02:00', '-0500', 'Mars/Olympus', ' UTC', 'Europe/Berlin; DROP', 'U', 'x'.repeat(100)],
      ZONE,
    ),
    mistakes: [[{ default: 'Berlin' }, `default ${ZONE}`]],
    types: [[['String'], ['UTC'], ['x']]],
    otherTypes: ['UInt8'],
  },
  'regular-expression': {
    options: { maxLength: 4 },
    // ClickHouse alone finds out whether it compiles.
    values: same(['(a', '😀😀😀😀']),
    problems: [['😀😀😀😀😀', 'must be at most 4 characters']],
    mistakes: [[{ maxLength: undefined }, 'maxLength is missing; it must be a whole number of at least 1']],
    types: [[['String'], ['.*'], ['.....']]],
    otherTypes: ['UInt8'],
  },
} satisfies Readonly<Record<string, Promises>>;
