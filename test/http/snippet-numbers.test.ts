import type { Parameter } from '../../console/src/model/endpoint.js';
import { SNIPPETS } from '../../console/src/snippets/index.js';
import { BASE, runAppsScript, webContents } from '../support/snippet-tools.js';

const PARAMETER: Omit<Parameter, 'name'> = {
  ...{ kind: 'string', required: false, empty: 'omitted', type: 'String', description: '' },
};

/** A snippet for an endpoint with columns of these types: `c0`, `c1` and so on. */
function snippetFor(tool: string, types: readonly string[], declared: readonly string[] = []): string {
  const { write = () => '' } = SNIPPETS.find(({ id }) => id === tool) ?? {};
  const columns = types.map((type, index) => ({ name: `c${index}`, type, description: '' }));
  const parameters = declared.map((name): Parameter => ({ ...PARAMETER, name }));
  return write({ endpoint: { name: 'sample', maxRows: 1000, columns, parameters }, values: {}, base: BASE });
}

describe('the snippet for JavaScript', () => {
  it.each([
    'UInt64',
    'Map(String, Nullable(Int256))',
    'IntervalDay',
    'Array(Decimal(16, 2))',
    'Decimal(76, 2)',
  ])('has numbers that JavaScript would round as text: %s', (type) => {
    expect(snippetFor('javascript', ['String', type])).toContain('["numbers", "text"]');
    const declaring = snippetFor('javascript', [type], ['numbers']);
    expect(declaring).toContain("{ 'X-API-KEY': 'YOUR_API_KEY', Prefer: 'numbers=text' }");
    expect(declaring).not.toContain('["numbers"');
  });

  it('has the others as numbers', () => {
    const types = ['UInt32', 'Float64', 'Decimal(15, 2)', 'String'];
    expect(snippetFor('javascript', types)).not.toContain('numbers');
  });
});

describe('the script for Google Sheets', () => {
  it('has a column as numbers, unless one of them has more digits than a sheet keeps', () => {
    const types = ['UInt64', 'Nullable(UInt64)', 'Decimal(38, 20)', 'String', 'Array(UInt64)', 'Float64'];
    const script = snippetFor('google-sheets', types);
    const rowOf = (cells: readonly unknown[]): object =>
      Object.fromEntries(cells.map((cell, index) => [`c${index}`, cell]));
    const rows = [
      ['3', '18446744073709551615', '-0.000123', '007', ['18446744073709551615'], 0.1],
      ['999999999999999', '3', '12.5', '42', [], 1e300],
      ['0', null, null, '', ['1'], null],
    ];
    const { request: sent, cells } = runAppsScript(script, {}, rows.map(rowOf));
    expect(sent.url.searchParams.get('numbers')).toBe('text');
    expect(cells.slice(1)).toEqual([
      [3, '18446744073709551615', -0.000123, '007', '["18446744073709551615"]', 0.1],
      [999999999999999, '3', 12.5, '42', '[]', 1e300],
      [0, null, null, '', '["1"]', null],
    ]);
    const { request: other } = runAppsScript(snippetFor('google-sheets', ['UInt64'], ['numbers']));
    expect([other.url.searchParams.has('numbers'), other.headers['Prefer']]).toEqual([false, 'numbers=text']);
  });

  it('names what makes a signed link, and says what IMPORTDATA rounds', () => {
    const [exact, rounded] = [
      snippetFor('google-sheets', ['UInt32']),
      snippetFor('google-sheets', ['UInt64']),
    ];
    expect(exact).toContain('npx querygate keys link');
    expect(exact).not.toContain('rounds');
    expect(rounded).toContain('It rounds numbers of more than 15 digits');
  });
});

it('Power Query types a column with long numbers by its values, and others by their types', () => {
  const text = snippetFor('power-query', ['UInt64', 'UInt32', 'LowCardinality(Nullable(DateTime))']);
  expect(webContents(text).url.searchParams.get('numbers')).toBe('text');
  expect(text).toContain(
    'Rows, {{"c0", TypeOf("c0")}, {"c1", type number}, {"c2", type datetimezone}}, "en-US"',
  );
  const declaring = webContents(snippetFor('power-query', ['UInt64'], ['numbers']));
  expect(declaring.headers['Prefer']).toBe('numbers=text');
  expect(snippetFor('power-query', ['UInt32'])).not.toMatch(/numbers|TypeOf/);
});

it('Grafana gets numbers as numbers, whatever the endpoint says', () => {
  expect(snippetFor('grafana', ['UInt64'])).toMatch(/"numbers",\s+"value": "plain"/);
  expect(snippetFor('grafana', ['UInt32'])).not.toContain('plain');
});
