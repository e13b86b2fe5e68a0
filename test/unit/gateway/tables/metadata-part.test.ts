import { readSqlEndpoint } from '../../../support/read-sql-endpoint.js';
import { findMetadata, metadataPart } from '../../../../src/gateway/tables/metadata-part.js';
import { endpointTable } from '../../../support/endpoint-table.js';
import { sqlEndpointFile } from '../../../support/sql-endpoint-file.js';

const TABLES = [
  endpointTable('visits', "City's visits.", [['city', 'Nullable(String)']]),
  endpointTable('2_x', 'Two\tlines\nmore.', [['n', 'UInt8', 'A.']], ['day']),
];

const partOf = (
  table: string,
  words: readonly string[],
  hasMatcher = false,
): ReturnType<typeof metadataPart> =>
  metadataPart(table, TABLES, { words: new Set(words), hasMatcher }, 'p1');

describe('the part of a table of metadata', () => {
  it('has the columns that the statement names, with values or the default of their type', () => {
    expect(partOf('system.tables', ['SELECT', 'name', 'total_rows', 'comment', 'table', 'other'])).toEqual({
      sql: "SELECT r.1 AS `name`, defaultValueOfTypeName('Nullable(UInt64)') AS `total_rows`, r.2 AS `comment`, r.1 AS `table` FROM (SELECT arrayJoin(CAST(concat(materialize('['), {p1_0:String}, ']'), 'Array(Tuple(String, String))')) AS r)",
      parameters: {
        p1_0: "('visits','City\\'s visits.'),('2_x','Two\tlines\nmore. Read it as `2_x`(day = …)')",
      },
    });
  });

  it('has one upper-case column for one value', () => {
    expect(partOf('information_schema.columns', ['column_name', 'COLUMN_NAME', 'numeric_scale'])).toEqual({
      sql: "SELECT r.1 AS `column_name`, r.2 AS `numeric_scale`, r.1 AS `COLUMN_NAME` FROM (SELECT arrayJoin(CAST(concat(materialize('['), {p1_0:String}, ']'), 'Array(Tuple(String, Nullable(UInt64)))')) AS r)",
      parameters: { p1_0: "('city',NULL),('n',0)" },
    });
  });

  it('has as many rows where the statement names no column, or none with a value', () => {
    expect(partOf('system.tables', ['count']).parameters).toEqual({
      p1_0: "('querygate'),('querygate')",
    });
    expect(partOf('system.tables', ['total_rows']).parameters).toEqual({ p1_0: "(''),('')" });
  });

  it('has all columns, but not the aliases that a star does not read, where the statement has a star', () => {
    const names = (sql: string): readonly string[] =>
      [...sql.matchAll(/AS `(\w+)`/g)].map(([, name = '']) => name);
    const all = ['name', 'engine', 'data_path', 'metadata_path', 'uuid', 'engine_full', 'comment'];
    expect(names(partOf('system.databases', [], true).sql)).toEqual([...all, 'is_external']);
    expect(names(partOf('system.databases', ['database'], true).sql)).toContain('database');
  });

  it('sends many rows in as many values as ClickHouse takes', () => {
    const many = Array.from({ length: 900 }, (_, index) => endpointTable(`t${index}`, '界'.repeat(100), []));
    const reading = { words: new Set(['name', 'comment']), hasMatcher: false };
    const { sql, parameters } = metadataPart('system.tables', many, reading, 'p1');
    expect(sql).toContain(
      "concat(materialize('['), {p1_0:String}, ',', {p1_1:String}, ',', {p1_2:String}, ']')",
    );
    const values = Object.values(parameters);
    expect(Math.max(...values.map((value) => Buffer.byteLength(value)))).toBeLessThan(131_072);
    expect(values.join(',').split('),(')).toHaveLength(900);
  });

  it('has no row where there is none, and passes what is the same for everybody', () => {
    expect(partOf('system.macros', [], true)).toEqual({
      sql: "SELECT defaultValueOfTypeName('String') AS `macro`, defaultValueOfTypeName('String') AS `substitution` WHERE 0",
      parameters: {},
    });
    const { sql } = partOf('system.functions', ['name']);
    expect(sql).toBe("SELECT * FROM system.functions WHERE origin = 'System'");
    expect(partOf('system.one', []).sql).toBe('SELECT * FROM system.one');
  });

  it('has numbers, from an offset', () => {
    const numbers = (args: Readonly<Record<string, string>>): ReturnType<typeof metadataPart> => {
      const reading = { words: new Set<string>(), hasMatcher: false, args: new Map(Object.entries(args)) };
      return metadataPart('system.numbers', [], reading, 'p1');
    };
    expect(numbers({ offset: '5', length: '10' })).toEqual({
      sql: 'SELECT number FROM numbers({p1_offset:UInt64}, {p1_length:UInt64})',
      parameters: { p1_offset: '5', p1_length: '10' },
    });
    expect(numbers({}).sql).toBe('SELECT number FROM numbers(18446744073709551615)');
  });

  it('lists of the columns that depend on parameters those that every statement has', () => {
    const endpoint = readSqlEndpoint(
      sqlEndpointFile(
        'cities',
        [
          `parameters:
  least: { kind: integer, description: Least. }
  most: { kind: integer, default: 5, description: Most. }
  day: { kind: integer, required: true, description: Day. }
columns: { city: String, least: Int64, most: Int64, day: Int64 }`,
        ],
        'SELECT city [[, @least AS least ]] [[, @most AS most ]] [[, @day AS day ]] FROM cities',
      ),
    );
    const listed = (pinned?: ReadonlySet<string>): readonly unknown[] => {
      const tables = [{ table: 'cities', endpoint, missing: ['day'], pinned }];
      const reading = { words: new Set(['name', 'position']), hasMatcher: false };
      return Object.values(metadataPart('system.columns', tables, reading, 'p1').parameters);
    };
    expect(listed()).toEqual(["('city',1),('most',2),('day',3)"]);
    expect(listed(new Set(['least']))).toEqual(["('city',1),('least',2),('most',3),('day',4)"]);
  });
});

it.each([
  ['system', 'tables', 'system.tables'],
  ['information_schema', 'tables', 'information_schema.tables'],
  ['INFORMATION_SCHEMA', 'KEY_COLUMN_USAGE', 'information_schema.key_column_usage'],
  ['information_schema', 'COLUMNS', 'information_schema.columns'],
  ['information_schema', 'Columns', undefined],
  ['INFORMATION_SCHEMA', 'clusters', undefined],
  ['information_schema', 'functions', undefined],
  ['SYSTEM', 'tables', undefined],
  ['system', 'TABLES', undefined],
  ['system', 'functions', 'system.functions'],
  ...['users', 'processes', 'query_log', 'disks', 'server_settings', 'constructor'].map(
    (table) => ['system', table, undefined] as const,
  ),
  ['system', 'numbers', 'system.numbers'],
  ['other', 'tables', undefined],
] as const)('finds %s.%s: %s', (database, table, name) => {
  expect(findMetadata(database, table)).toBe(name);
});
