import path from 'node:path';

import { GATEWAY, startProcess } from '../../support/start-process.js';
import { keyNamed } from '../../support/access-gateway.js';
import { endpointFile } from '../../support/endpoint-file.js';
import { writeFiles } from '../../support/project-folder.js';
import { sqlEndpointFile } from '../../support/sql-endpoint-file.js';
import { writeKeys } from '../../support/write-keys.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';

const KEY = 'a-key-for-this-test';

const citiesOf = (id: number, table: string): string =>
  endpointFile(
    id,
    table,
    "city: column('String', 'City.')",
    `SELECT city FROM ${table} ORDER BY city`,
  ).replace("sandboxing: 'disabled'", "sandboxing: 'enabled'");

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

const FILES = {
  'endpoints/cities.mjs': citiesOf(0, 'cities'),
  'endpoints/towns.mjs': citiesOf(1, 'towns'),
  'endpoints/by.city.sql': BY_CITY,
  'clickhouse-schema/0001_cities.sql': SCHEMA,
};

describe('a gateway with an embedded ClickHouse', () => {
  it('serves a project without a users file, and warns of an endpoint whose query cannot be analysed', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeFiles(folder, FILES);
      const gateway = startProcess([...GATEWAY, '--project', folder], {
        PORT: '0',
        API_KEY: KEY,
        API_KEYS_FILE: await writeKeys(folder, { rome: { fixed: { city: 'Rome' } } }),
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
