import { settleAll } from '../../support/settle-all.js';
import { ALONE, mixed } from './attempts/nesting.js';
import { CONNECTIONS, openSandbox } from './sandbox-under-test.js';
import { openForAll } from '../../support/opened.js';

/** After a change of the parser's limits or of the engine, run this file by itself with 3000 and a new seed. */
const MIXED = Number(process.env['UNPARSABLE_STATEMENTS'] ?? 150);
const SEED = Number(process.env['UNPARSABLE_SEED'] ?? 20_960_303);

const sandbox = openForAll(() =>
  openSandbox('logs.all', { project: 'aurora' }, new Date('2096-03-01T12:00:00Z')),
);

/** Statements that end neither with rows nor with 400. */
const others = async (statements: readonly string[]): Promise<readonly string[]> => {
  const found: string[] = [];
  await settleAll(
    statements,
    async (sql) => {
      const outcome = await sandbox.rejection(sql);
      if (!/^(?:400 [a-z]|succeeded: )/.test(outcome)) found.push(`${sql.slice(0, 100)}… => ${outcome}`);
    },
    CONNECTIONS,
  );
  return found;
};

describe('8 KiB of SQL that ClickHouse cannot parse, or only with effort, is 400', () => {
  it('CASE WHEN 1 THEN, repeated', async () => {
    expect(await sandbox.rejection(`SELECT ${'CASE WHEN 1 THEN '.repeat(480)}`)).toBe(
      '400 is too deeply nested, or too long, to be parsed',
    );
  });

  it('each construct in itself, open and closed', async () => {
    expect(await others(ALONE)).toEqual([]);
  });

  it('constructs in each other', async () => {
    expect(await others(mixed(MIXED, SEED))).toEqual([]);
  });

  it.each([
    ['settings', 'SELECT 1 SETTINGS readonly = 0'],
    ['an unknown setting', 'SELECT 1 SETTINGS no_such_setting = 1'],
    ['a setting in a subquery', 'SELECT * FROM (SELECT 1 SETTINGS max_execution_time = 99999)'],
    ['limits of the parser', 'SELECT 1 SETTINGS max_parser_depth = 100000, max_memory_usage = 0'],
    ['a text without an end', `SELECT '${'a'.repeat(8000)}`],
    ['backslashes', `SELECT ${'\\'.repeat(8000)}`],
    ['a number of 8,000 digits', `SELECT ${'9'.repeat(8000)}`],
    ['comments without an end', `SELECT 1 ${'/*'.repeat(4000)}`],
  ])('%s', async (_what, sql) => {
    expect(await others([sql])).toEqual([]);
  });
});
