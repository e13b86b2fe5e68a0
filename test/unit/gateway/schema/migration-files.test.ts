import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { readSchema, type Migration } from '../../../../src/gateway/schema/migration-files.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';

/** The migrations of a folder with these files, or the message of the error. */
const read = async (files: Readonly<Record<string, string>>): Promise<readonly Migration[] | string> => {
  let outcome: readonly Migration[] | string = '';
  await withTemporaryFolder(async (folder) => {
    for (const [file, text] of Object.entries(files)) await writeFile(path.join(folder, file), text);
    outcome = await readSchema(folder).then(
      (migrations) => migrations.filter(({ name }) => !name.startsWith('querygate/')),
      (error: unknown) => (error as Error).message,
    );
  });
  return outcome;
};

describe('readSchema', () => {
  it('reads numbered files in order, and no others', async () => {
    const migrations = await read({
      '0002_b.sql': 'SELECT 2;',
      '0010_c.sql': 'SELECT 3;',
      '0001_a.sql': 'SELECT 1;',
      'notes.md': 'SELECT 4;',
      '0003_d.sql.bak': 'SELECT 5;',
    });
    expect(migrations).toMatchObject([
      { name: 'clickhouse-schema/0001_a.sql' },
      { name: 'clickhouse-schema/0002_b.sql' },
      { name: 'clickhouse-schema/0010_c.sql' },
    ]);
  });

  it('ends a statement only at a semicolon at the end of a line', async () => {
    const text = "SELECT ';'\n, 1;  \n\nSELECT 2; -- not the end\n;\r\nSELECT 3";
    const migrations = await read({ '0001_a.sql': text });
    expect(migrations).toMatchObject([
      { statements: ["SELECT ';'\n, 1", 'SELECT 2; -- not the end', 'SELECT 3'] },
    ]);
  });

  it('skips statements that are only comments', async () => {
    const text = '-- First.\nSELECT 1; \n-- Nothing;\n/* and\nno more */\n';
    const migrations = await read({ '0001_a.sql': text, '0002_b.sql': '-- Nothing\n' });
    expect(migrations).toMatchObject([{ statements: ['-- First.\nSELECT 1'] }, { statements: [] }]);
  });

  it('computes a checksum that depends on the text but not on the line endings', async () => {
    const [one, two, other] = (await read({
      '0001_a.sql': 'SELECT 1;\nSELECT 2;\n',
      '0002_b.sql': 'SELECT 1;\r\nSELECT 2;\r\n',
      '0003_c.sql': 'SELECT 1;\nSELECT 3;\n',
    })) as readonly Migration[];
    expect(one?.checksum).toMatch(/^[0-9a-f]{64}$/);
    expect(two?.checksum).toBe(one?.checksum);
    expect(other?.checksum).not.toBe(one?.checksum);
  });

  it('rejects an SQL file without a number, which would never be applied', async () => {
    const outcome = await read({ '0001_a.sql': 'SELECT 1;', '0002-b.sql': 'SELECT 2;' });
    expect(outcome).toMatch(/^clickhouse-schema\/0002-b\.sql must be named NNNN_name\.sql/);
  });

  it('rejects two files with the same number and names both', async () => {
    const outcome = await read({ '0001_a.sql': 'SELECT 1;', '0001_b.sql': 'SELECT 2;' });
    expect(outcome).toBe('0001_a.sql and 0001_b.sql have the same number');
  });

  it.each([
    'CREATE TABLE gateway_requests (x UInt8)',
    'create  table\nif not exists `gateway_requests` (x UInt8)',
    'CREATE OR REPLACE TABLE schema_migrations_lock (x UInt8)',
    'CREATE VIEW logs.querygate_later AS SELECT 1',
  ])('rejects a file that creates a table of the gateway: %j', async (statement) => {
    const outcome = await read({ '0001_a.sql': `-- A comment.\n${statement};` });
    expect(outcome).toMatch(/^clickhouse-schema\/0001_a\.sql creates \w+, which is a name of the gateway/);
  });

  it('accepts tables with similar names', async () => {
    const text =
      'CREATE TABLE gateway_requests_daily (x UInt8);\nCREATE TABLE my_schema_migrations (x UInt8);';
    expect(await read({ '0001_a.sql': text })).toHaveLength(1);
  });
});
