import type { AnalyzeSql, SqlParser } from '../../../../src/gateway/query/sandboxed-select.js';
import { Abort } from '../../../../src/gateway/query/signal.js';
import { createStatementCheck } from '../../../../src/gateway/tables/check-statement.js';

test('a verdict is that of the endpoints as they are served: they may read tables that were not there before', async () => {
  const checked: string[] = [];
  const parser = {
    print: (text: string) => {
      checked.push(text);
      return Promise.resolve('SELECT 1 SETTINGS x = 1');
    },
  } as Partial<SqlParser> as SqlParser;
  const analyzeSql: AnalyzeSql = (_request, analyze) => analyze(parser, new AbortController().signal);
  const check = createStatementCheck(analyzeSql);
  for (const digest of ['one', 'one', 'other'])
    await expect(
      check({ template: 'SELECT 1', reads: [], literals: new Map() }, [{ digest }], { signal: new Abort() }),
    ).rejects.toThrow('must not have SETTINGS');
  expect(checked).toHaveLength(2);
});
