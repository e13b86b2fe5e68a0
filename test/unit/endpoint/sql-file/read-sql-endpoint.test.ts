import { bindQuery } from '../../../../src/endpoint/bind.js';
import { returnedColumns, type Endpoint } from '../../../../src/endpoint/endpoint.js';
import { readSqlEndpoint } from '../../../support/read-sql-endpoint.js';
import { validateParameters } from '../../../../src/gateway/query/validate-parameters.js';
import { rawParameters } from '../../../support/raw-parameters.js';
import { sqlEndpointFile } from '../../../support/sql-endpoint-file.js';

const PARAMETERS = `
parameters:
  city: { kind: string, description: A city. }
  least: { kind: integer, minimum: 1, description: Least visits. }
  device: { kind: string, default: phone, description: A device. }
columns:
  city: String
  device: { type: String, description: The device. }
  visits: { type: UInt64 }`;

const SELECT = `
SELECT city, [[ {least:UInt8} AS visits, ]] @device AS device
FROM visits
WHERE at < @now [[ AND city = @city [[ AND visits >= @least ]] ]]
ORDER BY city -- by name`;

const file = (select = SELECT, header = PARAMETERS): string =>
  sqlEndpointFile('cities.by-name', [header], select);

function bound(
  endpoint: Endpoint,
  parameters: Readonly<Record<string, string>>,
): ReturnType<typeof bindQuery> {
  const values = validateParameters(endpoint, rawParameters(parameters));
  return bindQuery(endpoint.query, values, new Set(), new Date(0), 11);
}

describe('readSqlEndpoint', () => {
  it('makes an endpoint of a header and a SELECT, with defaults for the settings', () => {
    const endpoint = readSqlEndpoint(file());
    expect(endpoint).toMatchObject({
      name: 'cities.by-name',
      id: '61f0c404-5cb3-11e7-907b-a6006ad3dba0',
      summary: 'For a test.',
      settings: { maxRows: 1000, caching: 60, warming: 0, sandboxing: 'disabled' },
      example: {},
      savedQuery: SELECT.trim(),
    });
    expect([...endpoint.columns]).toEqual([
      ['city', { type: 'String', meaning: '' }],
      ['device', { type: 'String', meaning: 'The device.' }],
      ['visits', { type: 'UInt64', meaning: '' }],
    ]);
    expect([...endpoint.parameters].map(([name, { kind, type }]) => [name, kind, type])).toEqual([
      ['city', 'string', 'String'],
      ['least', 'integer', 'UInt8'],
      ['device', 'string', 'String'],
    ]);
  });

  it('takes settings, tags, an example with numbers, and JSON columns from the header', () => {
    const endpoint = readSqlEndpoint(
      file(
        'SELECT city, least FROM t WHERE least > @least AND has(@cities, city)',
        `tags: [travel, eu]
parameters:
  least: { kind: integer, required: true, description: Least visits. }
  cities: { kind: string-list, default: [Bonn, Rome], description: Cities. }
columns: { city: { type: String, json: true }, least: Int64 }
maxRows: 5
caching: disabled
warming: 0
sandboxing: enabled
tables: true
limits: { concurrent: 10 }
example: { least: 12, cities: [Rome, Bonn] }`,
      ),
    );
    expect(endpoint).toMatchObject({
      tags: ['travel', 'eu'],
      example: { least: '12', cities: 'Rome,Bonn' },
      settings: {
        ...{ maxRows: 5, caching: 'disabled', sandboxing: 'enabled', tables: true },
        limits: { concurrent: 10 },
      },
    });
    expect(endpoint.columns.get('city')).toEqual({ type: 'String', meaning: '', holdsJson: true });
    expect(bound(endpoint, { least: '1' }).parameters).toMatchObject({
      least: '1',
      cities: ['Bonn', 'Rome'],
    });
  });

  it('sends the text as it stands in the file, with the parts whose parameters have a value', () => {
    const endpoint = readSqlEndpoint(file());
    expect(bound(endpoint, {}).text).toBe(
      `SELECT city,   {device:String} AS device
FROM visits
WHERE at < {now:DateTime64(6, 'UTC')}${'  '}
ORDER BY city -- by name
LIMIT {row_limit:UInt64}`,
    );
    expect(bound(endpoint, { city: 'Rome' }).text).toContain('  AND city = {city:String}');
    expect(bound(endpoint, { city: 'Rome' }).text).not.toContain('visits >=');
    expect(bound(endpoint, { city: 'Rome', least: '3' }).text).toContain('AND visits >= {least:UInt8}');
    // The outer part applies only with a value of its own parameter.
    expect(bound(endpoint, { least: '3' }).text).not.toContain('visits >=');
  });

  it('returns an optional column only where its part applies', () => {
    const endpoint = readSqlEndpoint(file());
    const namesFor = (parameters: Readonly<Record<string, string>>): readonly string[] => [
      ...returnedColumns(endpoint, validateParameters(endpoint, rawParameters(parameters))).keys(),
    ];
    expect([namesFor({}), namesFor({ least: '2' })]).toEqual([
      ['city', 'device'],
      ['city', 'device', 'visits'],
    ]);
  });

  it('limits the whole of a UNION, and of a SELECT with a LIMIT of its own', () => {
    const header = 'columns: { city: String }';
    for (const select of [
      "SELECT 'a' AS city UNION ALL SELECT 'b'",
      'SELECT city FROM t LIMIT 1 BY city',
      'SELECT city FROM t LIMIT 3',
    ]) {
      expect(bound(readSqlEndpoint(file(select, header)), {}).text).toBe(
        `SELECT * FROM (\n${select}\n)\nLIMIT {row_limit:UInt64}`,
      );
    }
  });

  it('changes neither a string with a line feed nor the text around a placeholder', () => {
    const select = "SELECT 'a\n  [[ @city ]]' AS city FROM t WHERE true [[ AND city = 'x\ny' || @city]]";
    const header = 'parameters: { city: { kind: string, description: A city. } }\ncolumns: { city: String }';
    expect(bound(readSqlEndpoint(file(select, header)), { city: 'Rome' }).text).toContain(
      "SELECT 'a\n  [[ @city ]]' AS city FROM t WHERE true   AND city = 'x\ny' || {city:String}",
    );
  });

  it('keeps values of parameters as they are written, whatever YAML makes of them', () => {
    const header = `parameters:
  code: { kind: string, default: 007, description: A code. }
  version: { kind: enum, choices: [1.10, 0x10, true, 1e3], default: 1.10, description: A version. }
columns: { city: String }
example: { code: 010, version: 1e3 }`;
    const endpoint = readSqlEndpoint(file('SELECT city FROM t WHERE a = @code AND b = @version', header));
    expect(endpoint.example).toEqual({ code: '010', version: '1e3' });
    expect(bound(endpoint, {}).parameters).toMatchObject({ code: '007', version: '1.10' });
    expect(endpoint.parameters.get('version')?.choices).toEqual(['1.10', '0x10', 'true', '1e3']);
  });

  it('takes a time zone that relative times alone use, as their calendar', () => {
    const header = `parameters:
  zone: { kind: timezone, default: Asia/Kolkata, description: A zone. }
  since: { kind: timestamp, relativeStep: 1d, default: now/d, description: A begin. }
columns: { city: String }`;
    const endpoint = readSqlEndpoint(file('SELECT city FROM t WHERE at >= @since', header));
    expect(bound(endpoint, {}).parameters).toMatchObject({
      since: expect.stringContaining(' 18:30:00.') as string,
    });
    expect(() =>
      readSqlEndpoint(
        file(
          'SELECT city FROM t WHERE at >= @since',
          header.replace('relativeStep: 1d, default: now/d,', ''),
        ),
      ),
    ).toThrow('the parameter zone is declared, but the SELECT has no @zone');
  });

  it('has another digest where the text, a type or a column differs', () => {
    const digests = [
      file(),
      file(SELECT.replace('at <', 'at <=')),
      file(SELECT.replace('UInt8', 'UInt16')),
      file(SELECT, PARAMETERS.replace('visits: { type: UInt64 }', 'visits: { type: UInt32 }')),
    ].map((source) => readSqlEndpoint(source).digest);
    expect(new Set(digests).size).toBe(digests.length);
  });
});
