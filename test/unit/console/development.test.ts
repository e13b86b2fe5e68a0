import { keyInFragment } from '../../../console/src/model/address.js';
import { marksOf, placeOf, shownValues } from '../../../console/src/model/development.js';
import { editorOf, EDITORS } from '../../../console/src/model/editors.js';
import type { Parameter, Values } from '../../../console/src/model/endpoint.js';
import { declaredValues, refusedValues } from '../../../console/src/model/request.js';
import { tokensOf } from '../../../console/src/model/sql-tokens.js';

const parameter = (name: string, facts: Partial<Parameter> = {}): Parameter => ({
  ...{ name, kind: 'string', required: false, empty: 'value', type: 'String', description: '' },
  ...facts,
});

const parameters = [parameter('page'), parameter('token', { secret: true })];

describe('shownValues', () => {
  it('has a placeholder for a secret value, and leaves the caller’s own SQL out', () => {
    const values = { page: '/', token: 'never-to-be-seen', sql: 'SELECT 1' };
    expect(shownValues({ parameters }, values)).toEqual({ page: '/', token: 'secret' });
  });
});

describe('declaredValues', () => {
  it('leaves out the values of parameters that a change removed, and SQL where it is not enabled', () => {
    const values = { page: '/', former: '1', sql: 'SELECT 1' };
    expect(declaredValues({ parameters, sandboxing: 'disabled' }, values)).toEqual({ page: '/' });
    expect(declaredValues({ parameters, sandboxing: 'enabled' }, values)).toEqual({
      ...{ page: '/', sql: 'SELECT 1' },
    });
  });
});

describe('refusedValues', () => {
  it('has the names of a link that its form has no field for', () => {
    const values = { page: '/', former: '1', sql: 'SELECT 1' };
    const refused = (sandboxing: 'disabled' | 'enabled'): object =>
      refusedValues({ parameters, sandboxing }, values);
    expect(refused('disabled')).toEqual({ ignored: ['former', 'sql'], pinned: [] });
    expect(refused('enabled')).toEqual({ ignored: ['former'], pinned: [] });
  });

  it('has the values in whose place the key supplies another one', () => {
    const shop = parameter('shop', { pinned: { value: 'station' } });
    const refused = (values: Values): object =>
      refusedValues({ parameters: [shop, parameter('level')], sandboxing: 'disabled' }, values);
    const pinned = ['shop harbour, and your key sets station'];
    expect(refused({ shop: 'harbour', level: 'info' })).toEqual({ ignored: [], pinned });
    expect(refused({ shop: 'station' })).toEqual({ ignored: [], pinned: [] });
    // Where another endpoint has it as a secret, nobody sees which one.
    const hidden = { parameters: [parameter('shop', { pinned: {} })], sandboxing: 'disabled' } as const;
    expect(refusedValues(hidden, { shop: 'harbour' }).pinned).toEqual([
      'shop harbour, and your key sets what may be another one',
    ]);
  });
});

describe('placeOf', () => {
  it('has the parts that are known', () => {
    const problem = 'is wrong';
    expect(placeOf({ problem })).toBe('');
    expect(placeOf({ problem, file: 'endpoints/a.sql' })).toBe('endpoints/a.sql');
    expect(placeOf({ problem, file: 'endpoints/a.sql', line: 3, column: 5 })).toBe('endpoints/a.sql:3:5');
  });
});

describe('marksOf', () => {
  it('counts the findings of each endpoint that has some', () => {
    const state = (
      name: string,
      faults: number,
      warnings: number,
    ): Parameters<typeof marksOf>[0][number] => ({
      ...{ name, version: '1', faults, warnings },
    });
    expect([...marksOf([state('a', 0, 0), state('b', 1, 2), state('c', 0, 1)])]).toEqual([
      ['b', '1 fault, 2 warnings'],
      ['c', '1 warning'],
    ]);
  });
});

describe('an editor', () => {
  const linkOf = (id: string, path: string, line?: number, column?: number): string | undefined =>
    editorOf(id)?.link?.({ path, ...(line && { line }), ...(column && { column }) });

  it.each([
    ['vscode', 'vscode://file/p/a.sql:3:5'],
    ['cursor', 'cursor://file/p/a.sql:3:5'],
    ['zed', 'zed://file/p/a.sql:3:5'],
    ['jetbrains', 'idea://open?file=%2Fp%2Fa.sql&line=3'],
    ['copy', undefined],
  ])('opens a place: %s', (id, link) => {
    expect(linkOf(id, '/p/a.sql', 3, 5)).toBe(link);
  });

  it('opens a file without a place', () => {
    expect(linkOf('vscode', '/p/a.sql')).toBe('vscode://file/p/a.sql');
    expect(linkOf('jetbrains', '/p/a.sql')).toBe('idea://open?file=%2Fp%2Fa.sql');
  });

  it('opens paths with any characters, and those of Windows', () => {
    expect(linkOf('vscode', '/my files/50%?#.sql', 1)).toBe('vscode://file/my%20files/50%25%3F%23.sql:1');
    expect(linkOf('zed', 'C:\\p\\a.sql', 3)).toBe('zed://file/C:/p/a.sql:3');
  });

  it('is the first one where none, or an unknown one, is stored', () => {
    expect([editorOf(null), editorOf('ed')]).toEqual([EDITORS[0], EDITORS[0]]);
  });
});

describe('keyInFragment', () => {
  it.each([
    ['#key=qg_a-b', 'qg_a-b'],
    ['#key=a%2Bb%26c', 'a+b&c'],
    ['#key=50%', '50%'],
    ['#key=', ''],
    ['#/visits?key=a', undefined],
    ['', undefined],
  ])('%j has the key %j', (fragment, key) => {
    expect(keyInFragment(fragment)).toBe(key);
  });
});

describe('tokensOf', () => {
  it('highlights the parameters that ClickHouse gets, but no map', () => {
    const parametersIn = (sql: string): readonly string[] =>
      tokensOf(sql).flatMap(({ kind, text }) => (kind === 'parameter' ? [text] : []));
    expect(parametersIn("WHERE at > {from:DateTime64(6, 'UTC')} AND {'a':1}['a'] = {n:Int64}")).toEqual([
      ...["{from:DateTime64(6, 'UTC')}", '{n:Int64}'],
    ]);
  });
});
