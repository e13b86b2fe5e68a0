import { declareByKind, KIND_NAMES } from '../../../../src/endpoint/parameters/kinds.js';
import type { ItemKind, Parameter } from '../../../../src/endpoint/parameters/parameter.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

type Options = Readonly<Record<string, unknown>>;

/** What holds for one kind; problems and mistakes contain these texts. */
interface Promises {
  /** Options without which a parameter of the kind is none. */
  readonly options?: Options;
  /** Texts and the values that they have: of the kind with the options above, and with further ones. */
  readonly values: readonly (readonly [sent: string, value: string, options?: Options])[];
  readonly problems: readonly (readonly [sent: string, problem: string, options?: Options])[];
  /** Invalid options. */
  readonly mistakes: readonly (readonly [options: Options, mistake: string])[];
  /** Types that the query binds the value as together, with texts that fit them all, and texts that do not. */
  readonly types: readonly (readonly [
    types: readonly string[],
    valid: readonly string[],
    invalid: readonly string[],
  ])[];
  readonly otherTypes: readonly string[];
  /** The problem of the empty text. */
  readonly ofEmpty?: string;
}

const WHOLE = 'must be a whole number, such as 42 or -7';
const NUMBER = 'must be a number, such as 0.5 or -1e3';
const DATE = 'must be a date between 1900-01-01 and 2299-12-31, such as 2026-05-17';
const TIME = 'must be an ISO 8601 timestamp between 1900 and 2299, such as 2026-05-17';
const ZONE = 'must be a time zone of the IANA database, such as Europe/Berlin or UTC';
const ID = 'must be a UUID, such as 61f0c404-5cb3-11e7-907b-a6006ad3dba0';
const powerOf2 = (exponent: bigint): string => String(2n ** exponent);
const each = (texts: readonly string[], problem: string, options?: Options) =>
  texts.map((text) => [text, problem, options ?? {}] as const);
const same = (texts: readonly string[], options?: Options) =>
  texts.map((text) => [text, text, options ?? {}] as const);

/** The rows of a table by name, for titles. */
const named = (rows: Promises['values']) =>
  rows.map(([sent, expected, options = {}]) => ({ sent, expected, options }));

const KINDS: Readonly<Record<ItemKind, Promises>> = {
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
  integer: {
    values: [
      ['01', '1'],
      ['+1', '1'],
      ['-0', '0'],
      ...same(['-9223372036854775808', '9007199254740993', '9223372036854775807']),
      ...same(['9007199254740993'], { minimum: '9007199254740993', maximum: 9007199254740995n }),
    ],
    problems: [
      ...each(['1.0', '1e3', ' 1', '0x10', '--1', '١', '+', '1n'], WHOLE),
      ...each(['0', '101', powerOf2(80n)], 'must be a whole number between 1 and 100', {
        minimum: 1,
        maximum: 100,
      }),
      [
        '9007199254740992',
        'must be a whole number between 9007199254740993',
        { minimum: '9007199254740993' },
      ],
      [powerOf2(63n), 'must be a whole number between -9223372036854775808 and'],
    ],
    mistakes: [
      [{ minimum: 1.5 }, 'minimum 1.5 must be a whole number, in quotes beyond 2^53'],
      [{ maximum: 2 ** 53 }, 'maximum 9007199254740992 must be a whole number, in quotes beyond 2^53'],
      [{ minimum: [5] }, 'minimum is'],
      [{ minimum: 2, maximum: 1 }, 'no value is valid: minimum and maximum must leave some'],
      [{ default: 0, minimum: 1 }, 'default must be a whole number between 1 and 9223372036854775807'],
      [{ default: 1.5 }, `default ${WHOLE}`],
    ],
    types: [
      [['UInt8'], ['0', '255'], ['-1', '256']],
      [
        ['UInt8', 'Int64'],
        ['0', '255'],
        ['-1', '256'],
      ],
      [
        ['Int8', 'UInt8'],
        ['0', '127'],
        ['-1', '128'],
      ],
      [['UInt64'], ['0', '18446744073709551615'], ['-1', '18446744073709551616']],
      [['Int128'], [`-${powerOf2(127n)}`], [powerOf2(127n)]],
      [['UInt256'], ['0'], ['-1', powerOf2(256n)]],
    ],
    otherTypes: ['String', 'Float64', 'UInt7', 'Int64(3)', 'DateTime'],
  },
  number: {
    values: [
      ['0.50', '0.5'],
      ['.5', '0.5'],
      ['1.', '1'],
      ['+1', '1'],
      ['5e-1', '0.5'],
      ['-0', '0'],
      ['0e999', '0'],
    ],
    problems: [
      ...each(['NaN', 'Infinity', '-inf', '1,5', '0x1', '.', 'e5', ' 1', '1_000', '---'], NUMBER),
      // In linear time.
      [`${'1'.repeat(65_000)}x`, NUMBER],
      ['1.0000001', 'must be a number between 0 and 1', { minimum: 0, maximum: 1 }],
      ['1e400', 'must be a number between -1.79'],
    ],
    mistakes: [
      [{ minimum: '1' }, 'minimum "1" must be a number'],
      [{ minimum: 2, maximum: 1 }, 'no value is valid'],
      [{ default: 2, maximum: 1 }, 'default must be a number between'],
    ],
    types: [[['Float64', 'Float32'], ['1e38'], ['1e39']]],
    otherTypes: ['Int64'],
  },
  boolean: {
    values: [
      ['true', 'true'],
      ['1', 'true'],
      ['false', 'false'],
      ['0', 'false'],
    ],
    problems: each(['yes', 'TRUE', 'null', ' '], 'must be true or false'),
    mistakes: [[{ default: 'no' }, 'default must be true or false']],
    types: [[['Bool'], ['1'], ['2']]],
    otherTypes: ['UInt8'],
    ofEmpty: 'must be one of true, false',
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
  decimal: {
    values: [
      ['012.50', '12.5'],
      ['+12.5', '12.5'],
      ['.5', '0.5'],
      ['5.', '5'],
      ['-0.00', '0'],
      ['000', '0'],
      ['100', '100'],
      ['0.1234567890', '0.123456789'],
    ],
    problems: [
      ...each(['.', '-', '1,5', '1e3', ' 1', '1.2.3', 'NaN', '١'], 'must be a decimal number, such as 12.50'),
      // In linear time.
      ...each(
        [
          `${'0'.repeat(65_000)}x`,
          `${'0'.repeat(32_000)}.${'0'.repeat(32_000)}x`,
          `0.${'0'.repeat(65_000)}1x`,
        ],
        'must be a decimal number, such as 12.50',
      ),
      ['0.1234567891', 'must have at most 9 decimal places'],
      [`1${'0'.repeat(29)}`, 'must have at most 29 digits before the point'],
      ['-0.500000001', 'must be at least -0.5', { minimum: '-0.5' }],
      ['1.000000001', 'must be at most 1', { maximum: 1 }],
    ],
    mistakes: [
      [{ scale: 39 }, 'scale 39 must be a whole number from 0 to 38'],
      [{ minimum: 'few' }, 'minimum "few" must be a decimal number'],
      [{ minimum: '0.2', maximum: '0.1' }, 'no value is valid'],
      [{ default: '0.001', scale: 2 }, 'default must have at most 2 decimal places'],
    ],
    types: [[['Decimal(10, 4)', 'Decimal32(2)'], ['999999.99'], ['0.001', '1000000']]],
    otherTypes: ['Float64', 'Decimal(x)', 'Decimal(0)', 'Decimal(77, 2)', 'Decimal(5, 6)', 'Decimal64'],
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
};

describe.each(Object.entries(KINDS))('a parameter of kind %s', (name, promises) => {
  const kind = name as ItemKind;
  const { options: needed = {}, values, problems, mistakes, types, otherTypes } = promises;
  const declared = (more: Options = {}, bound: readonly string[] = []): Parameter =>
    declareByKind(kind, { description, ...needed, ...more }, bound);
  const list = (more: Options = {}): Parameter =>
    declareByKind(`${kind}-list`, { description, ...needed, ...more }, []);

  it.each(named(values))('converts $sent to $expected', ({ sent, expected, options }) => {
    expect(valueOf(declared(options), sent)).toBe(expected);
    expect(valueOf(list(options), `${sent},${sent}`)).toEqual([expected]);
    expect(valueOf(declared({ ...options, default: sent }), undefined)).toBe(expected);
  });

  it.each(named(problems))('rejects $sent', ({ sent, expected: problem, options }) => {
    expect(problemOf(declared(options), sent)).toEqual(expect.stringContaining(problem));
    const [valid] = values[0] ?? [''];
    if (!sent.includes(',') && Object.keys(options).length === 0)
      expect(problemOf(list(options), `${valid},${sent}`)).toEqual(
        expect.stringContaining(`item 2 ${problem}`),
      );
  });

  it('may be omitted, unless it is required', () => {
    expect(valueOf(declared(), undefined)).toBeUndefined();
    expect(problemOf(declared({ required: true }), undefined)).toBe('is required');
    expect(problemOf(declared({ required: true, empty: 'omitted' }), '')).toBe('is required');
  });

  it('has an empty text that is omitted or a problem, as declared, and a value for a text only', () => {
    for (const parameter of [declared, list]) {
      expect(valueOf(parameter({ empty: 'omitted' }), '')).toBeUndefined();
      expect(problemOf(parameter({ empty: 'problem' }), '')).toBe(promises.ofEmpty ?? 'must not be empty');
      expect(mistakesIn(parameter({ empty: 'value' }))).toEqual(
        kind === 'string' ? [] : [expect.stringMatching(/^empty "value" must be /)],
      );
    }
  });

  it('is one value, or a list where it is declared as one', () => {
    const [[sent, value] = ['', '']] = values;
    expect(problemOf(declared(), [sent])).toBe('must be one value, not a list');
    expect(valueOf(list(), [sent])).toEqual([value]);
    expect(list()).toMatchObject({ kind: `${kind}-list`, type: `Array(${declared().type})`, isList: true });
  });

  it.each(mistakes)('reports the options %j as a mistake', (options, mistake) => {
    expect(mistakesIn(declared(options))).toEqual([expect.stringContaining(mistake)]);
  });

  it.each(types)('fits every one of the types %j', (bound, valid, invalid) => {
    const parameter = declared({}, bound);
    expect([mistakesIn(parameter), parameter.type]).toEqual([[], bound[0]]);
    for (const sent of valid) expect(problemOf(parameter, sent)).toBeUndefined();
    for (const sent of invalid) expect(problemOf(parameter, sent)).toBeDefined();
  });

  it.each(otherTypes)('reports that it cannot be bound as %s, nor a list as an Array of it', (type) => {
    const only = (text: string): readonly unknown[] => [expect.stringContaining(text)];
    expect(mistakesIn(declared({}, [type]))).toEqual(
      only(`the query binds it as ${type}; for kind ${kind} write `),
    );
    expect(mistakesIn(declareByKind(`${kind}-list`, { description, ...needed }, [type]))).toEqual(
      only(`the query binds it as Array(${type}); for a list of kind ${kind} write Array of `),
    );
  });
});

it('has promises for every kind', () => {
  expect(KIND_NAMES).toEqual(Object.keys(KINDS).flatMap((kind) => [kind, `${kind}-list`]));
});
