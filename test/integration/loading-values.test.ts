import { useLoading } from '../support/loading.js';
import { Random } from '../support/random.js';

/** A value as a line has it, and as ClickHouse must have it; absent where no value of the type is equal. */
interface Value {
  readonly json: string;
  readonly stored?: unknown;
}

interface Type {
  readonly name: string;
  readonly value: (random: Random) => Value;
}

const { database, load, rejected, rowsOf } = useLoading(
  {},
  {
    output_format_json_quote_64bit_integers: 1,
    output_format_json_quote_decimals: 1,
    output_format_json_named_tuples_as_objects: 1,
  },
);

const { QUERYGATE_SEED: seed = '1', QUERYGATE_ROUNDS: rounds = '10' } = process.env;

const text = (value: string): string => JSON.stringify(value);

/** A value as a number or as a text. */
const either = (random: Random, digits: string): string => (random.below(2) === 0 ? digits : text(digits));

const digitsOf = (random: Random, length: number): string =>
  Array.from({ length }, () => String(random.below(10))).join('');

function integer(name: string, least: bigint, greatest: bigint): Type {
  const value = (random: Random): Value => {
    const around = random.of([least, greatest, 0n, greatest / 2n]) + BigInt(random.below(9) - 4);
    const far = BigInt(
      random.of(['', '-']) + (digitsOf(random, 1 + random.below(90)).replace(/^0+(?=.)/, '') || '0'),
    );
    const number = random.below(4) === 0 ? far : around;
    const fits = number >= least && number <= greatest;
    const wrong = random.of(['"007"', '"+1"', '""', 'true', 'null', '1.5', '"1 "', '[]', '"0x1"']);
    if (random.below(5) === 0) return { json: wrong };
    return { json: either(random, String(number)), ...(fits && { stored: String(number) }) };
  };
  return { name, value };
}

const INTEGERS = [8n, 16n, 32n, 64n, 128n, 256n].flatMap((bits) => [
  integer(`Int${bits}`, -(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n),
  integer(`UInt${bits}`, 0n, 2n ** bits - 1n),
]);

function decimal(precision: number, scale: number): Type {
  const value = (random: Random): Value => {
    const whole = digitsOf(random, random.below(precision - scale + 2)).replace(/^0+/, '') || '0';
    const fraction = digitsOf(random, random.below(scale + 3));
    const plain = fraction.replace(/0+$/, '');
    const fits = plain.length <= scale && (whole === '0' ? 0 : whole.length) <= precision - scale;
    const json = either(random, fraction === '' ? whole : `${whole}.${fraction}`);
    if (random.below(6) === 0) return { json: random.of(['"007"', '""', 'true', 'null', '"1,5"']) };
    return { json, ...(fits && { stored: plain === '' ? whole : `${whole}.${plain}` }) };
  };
  return { name: `Decimal(${precision}, ${scale})`, value };
}

const FLOAT: Type = {
  name: 'Float64',
  value: (random) => {
    if (random.below(5) === 0)
      return { json: random.of(['1e999', '"-1e400"', '"007"', '""', 'true', 'null', '"x"']) };
    const digits = `${random.below(1000)}.${digitsOf(random, 1 + random.below(25))}${random.of(['', 'e10', 'e-300'])}`;
    return { json: either(random, digits), stored: Number(digits) };
  },
};

const two = (number: number): string => String(number).padStart(2, '0');

const day = (random: Random): { readonly text: string; readonly isReal: boolean } => {
  const [year, month, date] = [
    random.of([1899, 1900, 1969, 1970, 2026, 2105, 2149, 2299, 2300]),
    random.below(14),
    random.below(33),
  ];
  const written = `${year}-${two(month)}-${two(date)}`;
  const time = Date.parse(`${written}T00:00:00Z`);
  return { text: written, isReal: !Number.isNaN(time) && new Date(time).toISOString().startsWith(written) };
};

const date = (name: string, least: string, greatest: string): Type => ({
  name,
  value: (random) => {
    const { text: written, isReal } = day(random);
    if (random.below(8) === 0) return { json: random.of(['"01/02/2026"', '""', 'true', 'null', '"2026"']) };
    const fits = isReal && written >= least && written <= greatest;
    return { json: text(written), ...(fits && { stored: written }) };
  },
});

const time = (name: string, scale: number, least: string, greatest: string): Type => ({
  name,
  value: (random) => {
    if (random.below(8) === 0)
      return {
        json: random.of(['"01/02/2026 10:00:00"', '""', 'true', 'null', '"2026"', '"10:00"', '"28/11/2026"']),
      };
    const { text: written, isReal } = day(random);
    const [hour, minute, second] = [random.below(26), random.below(61), random.below(61)];
    const fraction = digitsOf(random, random.below(scale + 3));
    const plain = fraction.replace(/0+$/, '');
    const clock = `${two(hour)}:${two(minute)}:${two(second)}`;
    const json = text(
      `${written}${random.of(['T', ' '])}${clock}${fraction && `.${fraction}`}${random.of(['', 'Z', '+00:00'])}`,
    );
    const isTime = isReal && hour < 24 && minute < 60 && second < 60 && plain.length <= scale;
    const fits = isTime && written >= least && written <= greatest;
    return {
      json,
      ...(fits && { stored: `${written} ${clock}${scale > 0 ? `.${plain.padEnd(scale, '0')}` : ''}` }),
    };
  },
});

const SCALARS: readonly Type[] = [
  ...INTEGERS,
  ...[decimal(6, 2), decimal(12, 4), decimal(38, 10), decimal(76, 30)],
  FLOAT,
  date('Date', '1970-01-01', '2149-06-06'),
  date('Date32', '1900-01-01', '2299-12-31'),
  time("DateTime('UTC')", 0, '1970-01-01', '2105-12-31'),
  time("DateTime64(3, 'UTC')", 3, '1900-01-01', '2299-12-31'),
  time("DateTime64(6, 'UTC')", 6, '1900-01-01', '2299-12-31'),
  {
    name: 'Bool',
    value: (random) =>
      random.of([
        { json: 'true', stored: true },
        { json: '0', stored: false },
        { json: '2' },
        { json: '"true"' },
      ]),
  },
  {
    name: "Enum8('a' = 1)",
    value: (random) =>
      random.of([
        { json: '"a"', stored: 'a' },
        { json: '1', stored: 'a' },
        { json: '2' },
        { json: '"b"' },
        { json: 'null' },
      ]),
  },
  {
    name: 'FixedString(2)',
    value: (random) => random.of([{ json: '"ab"', stored: 'ab' }, { json: '"abc"' }, { json: 'null' }]),
  },
  {
    name: 'IPv6',
    value: (random) =>
      random.of([{ json: '"::1"', stored: '::1' }, { json: '"0:0::1"', stored: '::1' }, { json: '"x"' }]),
  },
  {
    name: 'String',
    value: (random) =>
      random.of([
        { json: '"a\\u0000ü"', stored: 'a\0ü' },
        { json: '1.50', stored: '1.50' },
        { json: 'null' },
        { json: '"\\ud800"' },
      ]),
  },
];

const inner = (types: readonly Type[], wrap: (type: Type) => Type): Type[] => types.map(wrap);

const TYPES: readonly Type[] = [
  ...SCALARS,
  ...inner(SCALARS, ({ name, value }) => ({
    name: `Nullable(${name})`,
    value: (random) => {
      const one = value(random);
      return one.json === 'null' ? { json: 'null', stored: null } : one;
    },
  })),
  ...inner(SCALARS, ({ name, value }) => ({
    name: `Array(${name})`,
    value: (random) => {
      const items = Array.from({ length: random.below(3) }, () => value(random));
      const fits = items.every((item) => 'stored' in item);
      return {
        json: `[${items.map(({ json }) => json).join(',')}]`,
        ...(fits && { stored: items.map(({ stored }) => stored) }),
      };
    },
  })),
  ...inner(SCALARS, ({ name, value }) => ({
    name: `Map(String, ${name})`,
    value: (random) => {
      const { json, ...one } = value(random);
      return { json: `{"k":${json}}`, ...('stored' in one && { stored: { k: one.stored } }) };
    },
  })),
  ...inner(SCALARS, ({ name, value }) => ({
    name: `Tuple(a ${name}, b Array(Tuple(${name})))`,
    value: (random) => {
      const [a, b] = [value(random), value(random)];
      const fits = 'stored' in a && 'stored' in b;
      return {
        json: `{"a":${a.json},"b":[[${b.json}]]}`,
        ...(fits && { stored: { a: a.stored, b: [[b.stored]] } }),
      };
    },
  })),
];

describe('a value that is loaded', () => {
  it('is the one of its line, or its line is rejected with the column', async () => {
    const random = new Random(Number(seed));
    const values = TYPES.flatMap((type, column) =>
      Array.from({ length: Number(rounds) }, () => ({ column, ...type.value(random) })),
    );
    const declared = TYPES.map(({ name }, at) => `c${at} ${name}`);
    const table = 'stored_values';
    await database.client.command({
      query: `CREATE TABLE ${table} (n UInt32, ${declared.join(', ')}) ENGINE = Memory`,
    });
    const lines = values.map(({ column, json }, n) => `{"n":${n + 1},"c${column}":${json}}\n`).join('');
    await load(lines, { table });
    const stored = (await rowsOf(`SELECT * FROM ${table}`)) as Record<string, unknown>[];
    const rows = new Map(stored.map((row) => [Number(row['n']), row]));
    const wrong = values.flatMap(({ column, json, ...value }, at) => {
      const [type = '', row, reason] = [TYPES[column]?.name, rows.get(at + 1), rejected[at + 1]];
      const fits = 'stored' in value;
      const found = row ? plain(row[`c${column}`]) : reason;
      const expected = fits ? plain(value.stored) : `c${column}`;
      const isRight = fits
        ? JSON.stringify(found) === JSON.stringify(expected)
        : row === undefined && reason !== undefined && isReason(reason, column);
      return isRight ? [] : [{ type, json, found, expected }];
    });
    expect(wrong).toEqual([]);
  });
});

/** Of a lone surrogate, and of a null that an Enum has not as its default, ClickHouse names no column. */
const isReason = (reason: string, column: number): boolean =>
  reason.startsWith(/Enum8|String/.test(TYPES[column]?.name ?? '') ? '' : `c${column} `);

/** Integers of up to 32 bits are not quoted. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  return typeof value === 'number' ? String(value) : value;
}
