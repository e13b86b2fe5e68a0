import type { ClickHouseClient } from '@clickhouse/client';
import fc from 'fast-check';

import { bindQuery, revealedParameters } from '../../src/endpoint/bind.js';
import type { Value } from '../../src/endpoint/values.js';
import { column } from '../../src/endpoint/definition.js';
import { defineEndpoint } from '../../src/endpoint/endpoint.js';
import { sql } from '../../src/endpoint/index.js';
import { declareByKind } from '../../src/endpoint/parameters/kinds.js';
import type { ItemKind, Parameter, ParameterKind } from '../../src/endpoint/parameters/parameter.js';
import { anyText } from '../support/any-text.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { description, NOW, valueOf } from '../support/read-parameter.js';

const database = useTestDatabase();

const optionsOf = (kind: ParameterKind): { description: string } => ({
  description,
  ...(kind.startsWith('enum') && { choices: ['a', "b'\\c", '\t'] }),
  ...(kind.startsWith('regular') && { maxLength: 1000 }),
  ...(kind.startsWith('timestamp') && { relativeStep: '1m' }),
});

const declared = (kind: ParameterKind, type?: string): Parameter =>
  declareByKind(kind, optionsOf(kind), type === undefined ? [] : [type]);

/** What ClickHouse has for a value that is bound as an endpoint binds it: text, or texts of the items. */
async function boundInClickHouse(
  client: ClickHouseClient,
  parameter: Parameter,
  value: Value,
): Promise<unknown> {
  const { query } = defineEndpoint({
    id: '5d0c4b7e-0f7a-4f0e-9a51-8e2b6f1c3d50',
    name: 'bound',
    summary: 'A value as it is bound.',
    parameters: { value: parameter },
    columns: { bound: column('String', 'The value.') },
    maxRows: 1,
    caching: 'disabled',
    warming: 0,
    sandboxing: 'disabled',
    example: {},
    build: (p) =>
      parameter.isList
        ? sql`SELECT arrayMap(item -> toString(item), ${p.value}) AS bound`
        : sql`SELECT toString(${p.value}) AS bound`,
  });
  const bound = bindQuery(query, new Map([['value', value]]), new Set(), NOW, 1);
  const result = await client.query({
    query: bound.text,
    query_params: revealedParameters(bound),
    format: 'JSONEachRow',
    clickhouse_settings: { session_timezone: 'UTC' },
  });
  const [row] = await result.json<{ readonly bound: unknown }>();
  return row?.bound;
}

const roundTrip = (parameter: Parameter, sent: string | readonly string[]): Promise<unknown> =>
  boundInClickHouse(database.client, parameter, valueOf(parameter, sent) as Value);

const EDGES: readonly (readonly [kind: ItemKind, type: string | undefined, sent: readonly string[]])[] = [
  [
    'string',
    undefined,
    ['', ' ', "'", '\\', '\t', '\n', '\r\n', '\\N', 'NULL', 'É Ж 😀', '[', '{a:String}', '\b\f\v'],
  ],
  ['integer', undefined, ['-9223372036854775808', '9223372036854775807', '0', '9007199254740993']],
  ['integer', 'UInt64', ['0', '18446744073709551615']],
  ['integer', 'Int8', ['-128', '127']],
  ['integer', 'Int128', [String(-(2n ** 127n)), String(2n ** 127n - 1n)]],
  ['integer', 'UInt256', ['0', String(2n ** 256n - 1n)]],
  ['integer', 'Int256', [String(-(2n ** 255n)), String(2n ** 255n - 1n)]],
  ['boolean', undefined, ['true', 'false']],
  ['date', undefined, ['1900-01-01', '1969-12-31', '2299-12-31', '2024-02-29']],
  ['date', 'Date', ['1970-01-01', '2149-06-06']],
  ['uuid', undefined, ['61f0c404-5cb3-11e7-907b-a6006ad3dba0', 'ffffffff-ffff-ffff-ffff-ffffffffffff']],
  [
    'decimal',
    undefined,
    ['0', '-0.000000001', `-${'9'.repeat(29)}.${'9'.repeat(9)}`, `${'9'.repeat(29)}.${'9'.repeat(9)}`],
  ],
  ['decimal', 'Decimal(76, 38)', [`${'9'.repeat(38)}.${'9'.repeat(38)}`]],
  ['decimal', 'Decimal32(9)', ['0.999999999']],
  ['enum', undefined, ['a', "b'\\c", '\t']],
  ['timezone', undefined, ['Europe/Berlin', 'Etc/GMT+5']],
  ['regular-expression', undefined, ['^\\d+[\'"]$', '(?i)é']],
];

describe('a value of each kind, bound in ClickHouse', () => {
  it.each(EDGES)(
    'of kind %s and type %s is what the caller sent, alone and in a list',
    async (kind, type, sent) => {
      const single = declared(kind, type);
      const list = declared(`${kind}-list`, type);
      for (const text of sent) {
        if (text !== '') expect(await roundTrip(single, text)).toBe(text);
      }
      expect(await roundTrip(list, sent)).toEqual(sent);
    },
  );

  it.each([
    [undefined, '1900-01-01', '1900-01-01 00:00:00.000000'],
    [undefined, '2299-12-31T23:59:59.999999Z', '2299-12-31 23:59:59.999999'],
    ['DateTime', '1970-01-01', '1970-01-01 00:00:00'],
    ['DateTime', '2106-02-07T06:28:15Z', '2106-02-07 06:28:15'],
    ['DateTime64(0)', '1900-01-01', '1900-01-01 00:00:00'],
    ['DateTime64(3)', '1969-12-31T23:59:59.999Z', '1969-12-31 23:59:59.999'],
    ["DateTime64(9, 'UTC')", '2262-04-11T23:47:16.854775Z', '2262-04-11 23:47:16.854775000'],
    ["DateTime64(8, 'UTC')", '2299-12-31T23:59:59.999999Z', '2299-12-31 23:59:59.99999900'],
  ])('of type %s is the timestamp %s, alone and in a list', async (type, sent, expected) => {
    expect(await roundTrip(declared('timestamp', type), sent)).toBe(expected);
    expect(await roundTrip(declared('timestamp-list', type), sent)).toEqual([expected]);
  });

  it.each([
    '1.7976931348623157e308',
    '-1.7976931348623157e308',
    '5e-324',
    '0.1',
    '0.30000000000000004',
    '1e23',
    '123456789.123456789',
  ])('is the number %s exactly', async (sent) => {
    expect(Number(await roundTrip(declared('number'), sent))).toBe(Number(sent));
    expect(((await roundTrip(declared('number-list'), sent)) as string[]).map(Number)).toEqual([
      Number(sent),
    ]);
  });

  it('is a text of any characters, and a list of such texts with empty ones', async () => {
    const text = anyText({ maxLength: 20 }).filter((value) => !value.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 50 }), async (items) => {
        expect(await roundTrip(declared('string-list'), items)).toEqual(items);
        expect(await roundTrip(declared('string'), items.join(''))).toBe(items.join(''));
      }),
      { numRuns: 40 },
    );
  });
});

/** Texts that are often valid for a kind, and texts that nearly are. */
const TEXTS: Readonly<Record<ItemKind, fc.Arbitrary<string>>> = {
  string: anyText({ maxLength: 30 }),
  integer: fc.oneof(fc.bigInt().map(String), fc.stringMatching(/^[+-]?\d{1,80}$/)),
  number: fc.oneof(fc.double().map(String), fc.stringMatching(/^[+-]?\d{0,20}\.?\d{0,20}(e[+-]?\d{1,3})?$/)),
  boolean: fc.constantFrom('true', 'false', '0', '1', 'True'),
  date: fc.stringMatching(/^(1[89]|2[0-3])\d\d-[01]\d-[0-3]\d$/),
  timestamp: fc.oneof(
    fc.stringMatching(
      /^(19|2[0-2])\d\d-[01]\d-[0-2]\d(T[0-2]\d:[0-5]\d(:[0-5]\d([.,]\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?)?$/,
    ),
    fc.stringMatching(/^now([+-]\d{1,4}[smhdwMy]|\/[smhdwMy]){0,3}$/),
  ),
  uuid: fc.oneof(
    fc.uuid(),
    fc.uuid().map((text) => text.toUpperCase()),
  ),
  decimal: fc.stringMatching(/^[+-]?\d{0,32}(\.\d{0,12})?$/),
  enum: fc.constantFrom('a', "b'\\c", '\t', 'c'),
  timezone: fc.constantFrom(...Intl.supportedValuesOf('timeZone'), 'GMT', 'est5edt', 'Mars/Olympus'),
  'regular-expression': anyText({ maxLength: 30 }),
};

const TYPES: Readonly<Partial<Record<ItemKind, readonly string[]>>> = {
  integer: ['Int64', 'UInt8', 'Int32', 'UInt64', 'Int128', 'UInt256'],
  number: ['Float64', 'Float32'],
  date: ['Date32', 'Date'],
  timestamp: ["DateTime64(6, 'UTC')", 'DateTime', 'DateTime64(3)', 'DateTime64(9)', 'DateTime64(8)'],
  decimal: ['Decimal(38, 9)', 'Decimal(9, 2)', 'Decimal64(4)', 'Decimal(76, 20)'],
};

describe('a text that is valid for its kind', () => {
  it.each(Object.keys(TEXTS) as ItemKind[])('%s never fails in ClickHouse', async (kind) => {
    const type = fc.constantFrom(...(TYPES[kind] ?? [undefined]));
    const texts = fc.array(TEXTS[kind], { minLength: 1, maxLength: 30 });
    let bound = 0;
    await fc.assert(
      fc.asyncProperty(texts, type, async (sent, of) => {
        const list = declareByKind(`${kind}-list`, { ...optionsOf(kind), set: true }, [of ?? '']);
        const valid = sent.filter(
          (text) => !text.includes('\0') && !('problem' in list.read([text], { now: NOW })),
        );
        if (valid.length === 0) return;
        bound += 1;
        const items = (await roundTrip(list, valid)) as readonly string[];
        expect(items).toHaveLength((valueOf(list, valid) as readonly string[]).length);
        // Different values must stay different in ClickHouse too: none is cut or wraps around.
        if (of !== 'Float32') expect(new Set(items).size).toBe(items.length);
      }),
      { numRuns: 40 },
    );
    expect(bound).toBeGreaterThan(10);
  });
});

describe('the kind timezone', () => {
  const zone = declared('timezone');
  const canonical = (name: string): string | undefined => {
    const read = zone.read(name, { now: NOW });
    return 'problem' in read ? undefined : (read.value as string);
  };
  const known = async (): Promise<ReadonlySet<string>> => {
    const result = await database.client.query({
      query: 'SELECT time_zone FROM system.time_zones',
      format: 'JSONEachRow',
    });
    return new Set((await result.json<{ time_zone: string }>()).map(({ time_zone }) => time_zone));
  };

  it('turns every name of Node.js into one that ClickHouse has, or rejects it as too new for ClickHouse', async () => {
    const names = await known();
    const supported = Intl.supportedValuesOf('timeZone');
    const accepted = supported.map(canonical).filter((name) => name !== undefined);
    expect(accepted.filter((name) => !names.has(name))).toEqual([]);
    // Nothing that ClickHouse has is rejected.
    expect(supported.filter((name) => canonical(name) === undefined && names.has(name))).toEqual([]);
  });

  it('turns every name of ClickHouse that it accepts into one that ClickHouse has', async () => {
    const names = await known();
    const accepted = [...names].map(canonical).filter((name) => name !== undefined);
    expect(accepted.filter((name) => !names.has(name))).toEqual([]);
    expect(accepted.length).toBeGreaterThan(400);
  });
});
