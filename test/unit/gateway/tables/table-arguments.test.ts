import { shownStatement, readExampleSelect } from '../../../support/example-statements.js';

describe('readStatement', () => {
  it('reads the arguments of a table', () => {
    const statement = readExampleSelect(
      String.raw`SELECT 1 FROM edge(project = 'it''s \'\d', n = -1.5, "on" = true, list = ['a', 2], x = NULL, p = {i:Array(String)}, h = $$a$$)`,
    );
    expect(statement).toMatchObject({ parameters: new Set() });
    expect([...(statement.reads[0]?.args ?? [])]).toEqual([
      ['project', { kind: 'text', text: String.raw`it's '\d` }],
      ['n', { kind: 'text', text: '-1.5' }],
      ['on', { kind: 'text', text: 'true' }],
      ['list', { kind: 'items', items: ['a', '2'] }],
      ['x', { kind: 'none' }],
      ['p', { kind: 'parameter', name: 'i' }],
      ['h', { kind: 'text', text: 'a' }],
    ]);
  });

  it.each([
    ["edge('x')", 'An argument of a table is not supported'],
    ['edge(a = 1, 2)', 'An argument of a table is not supported'],
    ['edge(a = 1, a = 2)', 'The argument a, which must be given once,'],
    ['edge(a = b)', 'The argument a is not supported'],
    ['edge(a = 1 + 1)', 'The argument a is not supported'],
    ['edge(a = - - 1)', 'The argument a is not supported'],
    ['edge(a = [NULL])', 'The argument a is not supported'],
    ["edge(a = x'41')", 'The argument a is not supported'],
    ['edge(a = (SELECT 1))', 'The argument a is not supported'],
    ['edge(a = {x:Identifier})', '{x:Identifier} is not supported'],
    ['numbers(1, 2, 3)', 'numbers() has one or two arguments'],
    ['numbers(x)', 'numbers() has one or two arguments'],
    ['numbers()', 'numbers() has one or two arguments'],
    ["url('http://x')", 'The table function url is not allowed'],
  ])('refuses FROM %s', (table, sentence) => {
    expect(shownStatement(`SELECT 1 FROM ${table}`)).toMatch(/^(48|62|497) /);
    expect(shownStatement(`SELECT 1 FROM ${table}`)).toContain(sentence);
  });

  it('reads numbers as a table with an offset and a length', () => {
    const statement = readExampleSelect('SELECT number FROM numbers(10), numbers(5, 10) AS n');
    expect(statement.reads.map(({ table, args }) => [table, ...args])).toEqual([
      ['system.numbers', ['length', { kind: 'text', text: '10' }]],
      ['system.numbers', ['offset', { kind: 'text', text: '5' }], ['length', { kind: 'text', text: '10' }]],
    ]);
  });
});
