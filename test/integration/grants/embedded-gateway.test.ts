import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { GATEWAY, startProcess } from '../../support/start-process.js';
import { keyNamed } from '../../support/access-gateway.js';
import { sqlEndpointFile } from '../../support/sql-endpoint-file.js';
import { writeKeys } from '../../support/write-keys.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';

const KEY = 'a-key-for-this-test';

const endpointFile = (id: number, name: string, table: string): string => `
import { column, defineEndpoint, sql } from 'querygate';
export default defineEndpoint({
  id: '7f3b8c52-94d1-4a86-9d0e-0f4f2f1c7a1${id}',
  name: '${name}',
  summary: 'For a test.',
  parameters: {},
  columns: { city: column('String', 'City.') },
  maxRows: 10,
  caching: 'disabled',
  warming: 0,
  sandboxing: 'enabled',
  example: {},
  build: () => sql\`SELECT city FROM ${table} ORDER BY city\`,
});`;

const BY_CITY = sqlEndpointFile(
  'by.city',
  [
    'sandboxing: enabled',
    'parameters: { city: { kind: string, required: true, description: City. } }',
    'columns: { city: String }',
    'tenant: { cities: city, vault: city }',
  ],
  `WITH mine AS (SELECT city FROM cities WHERE city = @city), kept AS (SELECT city FROM vault)
SELECT city FROM mine, kept ORDER BY city`,
);

const SCHEMA = `
CREATE TABLE IF NOT EXISTS cities (city String) ENGINE = MergeTree ORDER BY city;
CREATE TABLE IF NOT EXISTS vault (city String) ENGINE = MergeTree ORDER BY city;
INSERT INTO cities VALUES ('Rome');
INSERT INTO vault VALUES ('secret');
`;

async function writeProject(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'endpoints'));
  await mkdir(path.join(folder, 'clickhouse-schema'));
  await writeFile(path.join(folder, 'endpoints', 'cities.mjs'), endpointFile(0, 'cities', 'cities'));
  await writeFile(path.join(folder, 'endpoints', 'towns.mjs'), endpointFile(1, 'towns', 'towns'));
  await writeFile(path.join(folder, 'endpoints', 'by.city.sql'), BY_CITY);
  await writeKeys(folder, { rome: { fixed: { city: 'Rome' } } });
  await writeFile(path.join(folder, 'clickhouse-schema', '0001_cities.sql'), SCHEMA);
}

describe('a gateway with an embedded ClickHouse', () => {
  it('serves a project without a users file, and warns of an endpoint whose query cannot be analysed', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeProject(folder);
      const gateway = startProcess([...GATEWAY, '--project', folder], {
        PORT: '0',
        API_KEY: KEY,
        API_KEYS_FILE: path.join(folder, 'keys.json'),
        DATA_DIR: path.join(folder, 'data'),
      });
      try {
        const [warning] = await gateway.untilWritten(/\{[^\n]*may deny the queries of an endpoint[^\n]*\}/);
        expect(JSON.parse(warning)).toMatchObject({
          level: 'warn',
          endpoint: 'towns',
          problem: expect.stringMatching(/^reads logs\.towns, which ClickHouse does not have/) as string,
        });
        const [, url = ''] = await gateway.untilWritten(/"url":"(http:[^"]+)"/);
        const call = async (target: string, key = KEY): Promise<readonly [number, string]> => {
          const response = await fetch(`${url}/api/endpoints/query/${target}`, {
            headers: { 'X-API-KEY': key },
          });
          return [response.status, await response.text()];
        };
        expect(await call('cities')).toEqual([200, '{"result":[{"city":"Rome"}]}']);
        expect(await call(`cities?sql=${encodeURIComponent('SELECT city FROM result')}`)).toEqual([
          200,
          '{"result":[{"city":"Rome"}]}',
        ]);
        const [status, body] = await call(`cities?sql=${encodeURIComponent('SELECT city FROM vault')}`);
        expect([status, body]).toEqual([400, expect.not.stringContaining('secret')]);
        // The analysis runs beside the start; until its verdict, ClickHouse's own answer is a 502.
        await gateway.untilWritten(/ClickHouse rejects the query of an endpoint/);
        expect((await call('towns'))[0]).toBe(500);
        // The read-only user can read what a part reads, and send the filters of the header.
        for (const [name, rows] of [
          ['mine', '[{"city":"Rome"}]'],
          ['kept', '[]'],
        ]) {
          const sql = encodeURIComponent(`SELECT city FROM ${name}`);
          expect(await call(`by.city?sql=${sql}`, keyNamed('rome'))).toEqual([200, `{"result":${rows}}`]);
        }
      } finally {
        gateway.child.kill('SIGTERM');
        await gateway.ended;
      }
    });
  });
});
