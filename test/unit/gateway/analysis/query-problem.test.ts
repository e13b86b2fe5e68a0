import { parseError } from '@clickhouse/client';

import { textOfProblem } from '../../../../src/endpoint/file-problems.js';
import { queryProblem } from '../../../../src/gateway/analysis/query-problem.js';
import { Failure } from '../../../../src/gateway/errors.js';

const faultOf = (text: string, sql: string): string => textOfProblem(queryProblem(parseError(text), sql));

describe('queryProblem', () => {
  it('shows the SQL with a caret where ClickHouse cannot parse it', () => {
    const sql = "SELECT 'é', a\nFROM t WHERE ä\nLIMIT 1";
    const position = Buffer.byteLength("SELECT 'é', a\nFROM t WHERE ") + 1;
    expect(
      faultOf(
        `Code: 62. DB::Exception: Unrecognized token: Syntax error: failed at position ${position} (ä) (line 2, col 14): ä\nLIMIT 1\nFORMAT JSONEachRow. . (SYNTAX_ERROR) (version 26.7.1.1)`,
        sql,
      ),
    ).toBe(
      [
        'Unrecognized token: Syntax error',
        "    SELECT 'é', a",
        '    FROM t WHERE ä',
        '                 ^',
        '    LIMIT 1',
        '  ClickHouse: SYNTAX_ERROR (code 62)',
      ].join('\n'),
    );
  });

  it('has a caret at the end of the SQL where the SQL ends too early, and cuts the list of what was expected', () => {
    const expected = ['token sequence', 'Dot', ...Array.from({ length: 60 }, (_, index) => `WORD ${index}`)];
    const fault = faultOf(
      `Code: 62. DB::Exception: Syntax error: failed at position 31 (JSONEachRow) (line 2, col 8): JSONEachRow. Expected one of: ${expected.join(', ')}. (SYNTAX_ERROR) (version 26.7.1.1)`,
      'SELECT a\nFROM t WHERE',
    );
    const [first = '', ...lines] = fault.split('\n');
    expect(first).toMatch(/^Syntax error\. Expected one of: token sequence, Dot, WORD 0, .*WORD \d+ …$/);
    expect(first.length).toBeLessThan(160);
    expect(lines).toEqual(['    SELECT a', '    FROM t WHERE', '                ^', expect.any(String)]);
  });

  it('has a caret and the name where the client cuts the message at a word in capitals', () => {
    const text =
      'Code: 62. DB::Exception: Syntax error: failed at position 10 (GROUP): GROUP x. Expected one of: token. (SYNTAX_ERROR)';
    expect(faultOf(text, 'SELECT 1 GROUP x').split('\n')).toEqual([
      'Syntax error',
      '    SELECT 1 GROUP x',
      '             ^',
      '  ClickHouse: SYNTAX_ERROR (code 62)',
    ]);
  });

  it.each([
    [
      "Code: 47. DB::Exception: Unknown expression identifier `foo` in scope SELECT foo, a.foo FROM t GROUP BY foo. Maybe you meant: ['food']. (UNKNOWN_IDENTIFIER) (version 26.7.1.1)",
      'SELECT foo, a.foo, food\nFROM t\nGROUP BY foo',
      [
        "Unknown expression identifier `foo`. Maybe you meant: ['food']",
        '    SELECT foo, a.foo, food',
        '           ^',
        '    FROM t',
        '    GROUP BY foo',
        '             ^',
        '  ClickHouse: UNKNOWN_IDENTIFIER (code 47)',
      ],
    ],
    [
      "Code: 60. DB::Exception: Unknown table expression identifier 'logs.nothing' in scope SELECT 1 FROM logs.nothing. (UNKNOWN_TABLE) (version 26.7.1.1)",
      'SELECT 1 FROM logs.nothing',
      [
        "Unknown table expression identifier 'logs.nothing'",
        '    SELECT 1 FROM logs.nothing',
        '                  ^',
        '  ClickHouse: UNKNOWN_TABLE (code 60); has the schema been applied (querygate migrate)?',
      ],
    ],
    [
      "Code: 50. DB::Exception: Unknown data type family: Foo: In scope SELECT CAST(a, 'Foo') FROM t. (UNKNOWN_TYPE) (version 26.7.1.1)",
      'SELECT CAST(a AS Foo) FROM t',
      [
        'Unknown data type family: Foo',
        '    SELECT CAST(a AS Foo) FROM t',
        '                     ^',
        '  ClickHouse: UNKNOWN_TYPE (code 50)',
      ],
    ],
    [
      'Code: 43. DB::Exception: Illegal types UInt32 and String of arguments of function plus: In scope SELECT a + b FROM t. (ILLEGAL_TYPE_OF_ARGUMENT) (version 26.7.1.1)',
      'SELECT a + b FROM t',
      [
        'Illegal types UInt32 and String of arguments of function plus',
        '    SELECT a + b FROM t',
        '  ClickHouse: ILLEGAL_TYPE_OF_ARGUMENT (code 43)',
      ],
    ],
  ])(
    'shows every place of the name that is wrong, without ClickHouse’s copy of the SQL: %s',
    (text, sql, lines) => {
      expect(faultOf(text, sql)).toBe(lines.join('\n'));
    },
  );

  it.each([
    [
      'SELECT(b, c) ON logs.t',
      'the grant SELECT(a, b, c) ON logs.t. (Missing permissions: SELECT(b, c) ON logs.t). ',
    ],
    ['SELECT(a) ON logs.t', 'the grant SELECT(a) ON logs.t. '],
    ['READ ON URL', 'the grant READ ON URL. '],
    ['SELECT(a) ON logs.t', 'grant SELECT(a) ON logs.t'],
    ['SELECT ON logs.A, READ ON URL', 'the grant SELECT ON logs.A, READ ON URL. '],
  ])('names the right that is missing, %s, and the command that prints the grants', (right, needed) => {
    const text = `Code: 497. DB::Exception: reader: Not enough privileges. To execute this query, it's necessary to have ${needed} (ACCESS_DENIED) (version 26.7.1.1)`;
    expect(faultOf(text, 'SELECT 1')).toBe(
      `the ClickHouse user reader lacks the right ${right}: run \`querygate grants\`, and grant it as an administrator`,
    );
  });

  it('says what a limit means, and what ClickHouse reports', () => {
    const text = 'Code: 158. DB::Exception: Limit for rows exceeded. (TOO_MANY_ROWS) (version 26.7.1.1)';
    expect(faultOf(text, 'SELECT 1')).toMatch(
      /^The query would read more data than .* Limit for rows exceeded\n {4}SELECT 1\n {2}ClickHouse: TOO_MANY_ROWS/,
    );
  });

  it('names the cause where ClickHouse reports nothing, and never the gateway’s log', () => {
    const statement = 'SELECT 1';
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    expect(textOfProblem(queryProblem(refused, statement))).toMatch(
      /^ClickHouse is unreachable.* connect ECONNREFUSED 127/,
    );
    expect(textOfProblem(queryProblem(new Error('odd'), statement))).toBe('odd');
    const broken = new Failure('CLICKHOUSE_ANSWER_BROKEN', 'Not complete.', { diagnosis: 'no summary' });
    expect(textOfProblem(queryProblem(broken, statement))).toBe('Not complete. no summary');
  });
});
