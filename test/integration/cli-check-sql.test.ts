import { linesOf, useVisits } from '../support/check-sql-file.js';
import { sqlEndpointFile } from '../support/sql-endpoint-file.js';

const check = useVisits();

it('warns of each WITH query that a pinned key could not read, with its line and what to write', async () => {
  const header = [
    'sandboxing: enabled',
    'parameters:',
    '  city: { kind: string, required: true, description: Which. }',
    '  since: { kind: timestamp, default: 2026-01-01, description: From when on. }',
    'columns: { n: UInt64 }',
    'example: { city: Rome }',
  ];
  const select = (recent: string): string =>
    `WITH mine AS (SELECT * FROM visits WHERE city = @city),\n  ${recent}\nSELECT count() AS n FROM mine WHERE at >= @since`;
  const recent = 'recent AS (SELECT * FROM visits WHERE at >= @since)';
  const { faults, warnings } = await check(sqlEndpointFile('visits', header, select(recent)));
  expect([faults, warnings]).toEqual([
    [],
    [
      ...['12:6: keys that pin city cannot read mine', '13:3: keys that pin city cannot read recent'].map(
        (start) =>
          `endpoints/visits.sql:${start} in their own SQL, because it reads a table that the endpoint’s tenant does ` +
          'not filter by city. Write in the header: tenant: { visits: city }',
      ),
    ],
  ]);
  // The column that the query compares with the parameter, beside the filters that the header has.
  const more = [...header, 'tenant: { other: { town: city } }'].map((line) =>
    line.replaceAll('city', 'place'),
  );
  const place = select('more AS (SELECT * FROM visits WHERE at >= @since)').replace('@city', '@place');
  expect((await check(sqlEndpointFile('visits', more, place))).warnings[0]).toMatch(
    /tenant: \{ visits: \{ city: place \}, other: \{ town: place \} \}$/,
  );
  const all = sqlEndpointFile('visits', header, select('everyone AS (SELECT * FROM visits)'));
  expect((await check(all)).warnings[1]).toContain('because it uses no parameter');
  const tenant = sqlEndpointFile('visits', [...header, 'tenant: { visits: city }'], select(recent));
  expect((await check(tenant)).warnings).toEqual([]);
  const mistaken = await check(
    sqlEndpointFile('visits', [...header, 'tenant: { visits: { town: city } }'], select(recent)),
  );
  expect(linesOf(mistaken)[0]).toMatch(/the example failed: .*town/);
  const disabled = sqlEndpointFile('visits', header.slice(1), select(recent));
  expect((await check(disabled)).warnings).toEqual([]);
});

describe('a .sql endpoint', () => {
  it('has a fault with both types, the place in the header and an excerpt for each column that differs', async () => {
    const header = [
      'columns:',
      '  city: LowCardinality(String)',
      '  visits: { type: UInt8, description: x }',
    ];
    const { faults } = await check(
      sqlEndpointFile(
        'visits',
        header,
        'SELECT city, count() AS visits, 1 AS more FROM visits GROUP BY city',
      ),
    );
    expect(faults).toEqual([
      'endpoints/visits.sql:6:9: column city is declared as LowCardinality(String), but the query returns String\n' +
        '      city: LowCardinality(String)\n            ^^^^^^^^^^^^^^^^^^^^^^',
      'endpoints/visits.sql:7:19: column visits is declared as UInt8, but the query returns UInt64\n' +
        '      visits: { type: UInt8, description: x }\n                      ^^^^^',
      'endpoints/visits.sql:5:1: column more UInt8 is returned by the query, but not declared\n    columns:\n    ^^^^^^^',
    ]);
  });

  it('has one fault for an example that fails, with its place in the file and not in the sent text', async () => {
    const header = [
      'columns: { city: String }',
      'parameters: { since: { kind: date, default: 2020-01-01, description: From. } }',
    ];
    const select = (condition: string): string =>
      `-- ä\nSELECT city FROM visits\nWHERE at >= @since AND ${condition}\nORDER BY city`;
    const unknown = await check(sqlEndpointFile('visits', header, select("town = 'Rome'")));
    expect(linesOf(unknown)).toEqual([
      expect.stringMatching(/^endpoints\/visits\.sql:10:24: Unknown .*`town`/),
      "    WHERE at >= @since AND town = 'Rome'",
      '                           ^^^^',
      expect.stringContaining('47'),
    ]);
    const malformed = await check(sqlEndpointFile('visits', header, select('city city city')));
    expect(linesOf(malformed)).toEqual([
      expect.stringMatching(/^endpoints\/visits\.sql:10:29: Syntax error/),
      '    WHERE at >= @since AND city city city',
      '                                ^^^^',
      expect.any(String),
    ]);
    const throwing = await check(
      sqlEndpointFile('visits', header, select("throwIf(city = 'Rome', 'no') = 0")),
    );
    expect(throwing.faults).toEqual([
      expect.stringMatching(/^endpoints\/visits\.sql: the example failed: no/),
    ]);
  });
});

describe('the combinations of optional parts', () => {
  const header = [
    'columns: { city: String, device: String }',
    'parameters:',
    '  device: { kind: string, description: Which. }',
    '  least: { kind: integer, minimum: 7, description: Least. }',
    '  cities: { kind: string-list, empty: omitted, description: Which. }',
  ];
  const SELECT =
    'SELECT city [[, @device AS device ]]\nFROM visits\nWHERE true\n  [[ AND length(city) > @least [[ AND city IN (@cities) ]] ]]';

  it('are all analysed by ClickHouse, with the columns that each returns', async () => {
    expect((await check(sqlEndpointFile('visits', header, SELECT))).faults).toEqual([]);
  });

  it('have each fault once, with the parameters that have a value and its place in the file', async () => {
    const source = sqlEndpointFile('visits', header, SELECT.replace('AND city', 'AND town'));
    const checked = await check(source);
    expect(linesOf(checked)).toEqual([
      expect.stringMatching(
        /^endpoints\/visits\.sql:14:39: with a value for least, cities \(and in \d other combinations?\): Unknown .*`town`/,
      ),
      '      [[ AND length(city) > @least [[ AND town IN (@cities) ]] ]]',
      '                                          ^^^^',
      expect.stringContaining('47'),
    ]);
    expect(checked.example?.rows).toBe(1);
  });

  it('include a part that reads a table that does not exist, and one whose column has another type', async () => {
    const source = sqlEndpointFile(
      'visits',
      [
        'columns: { city: String, least: UInt8 }',
        'parameters:',
        '  device: { kind: string, description: Which. }',
        '  least: { kind: integer, description: Least. }',
      ],
      'SELECT city [[, @least AS least ]]\nFROM visits [[ LEFT JOIN none ON none.device = @device ]]',
    );
    const { faults } = await check(source);
    expect(faults).toEqual([
      expect.stringMatching(
        /^endpoints\/visits\.sql:5:33: with a value for least: column least is declared as UInt8, but the query returns Int64/,
      ),
      expect.stringMatching(
        /^endpoints\/visits\.sql:11:26: with a value for device \(and in 1 other combination\): Unknown table .*none/,
      ),
    ]);
  });
});
