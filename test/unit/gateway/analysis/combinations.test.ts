import { parseSqlFile } from '../../../../src/endpoint/sql-file/parse-sql-file.js';
import { readSqlEndpoint } from '../../../support/read-sql-endpoint.js';
import { combinationsOf } from '../../../../src/gateway/analysis/combinations.js';
import { sqlEndpointFile } from '../../../support/sql-endpoint-file.js';

it('tries at most 200 combinations of optional parts', () => {
  const names = Array.from({ length: 30 }, (_, index) => `p${index}`);
  const source = sqlEndpointFile(
    'visits',
    [
      'columns: { city: String }',
      'parameters:',
      ...names.map((name) => `  ${name}: { kind: string, description: Which. }`),
    ],
    `SELECT city FROM visits WHERE true\n${names.map((name) => `[[ AND device != @${name} ]]`).join('\n')}`,
  );
  const { select } = parseSqlFile(source);
  expect(combinationsOf(select.pieces, readSqlEndpoint(source).parameters)).toHaveLength(200);
});
