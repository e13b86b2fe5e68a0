import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { readConfig } from '../../../../src/gateway/config/config.js';
import { loadProjectEndpoints } from '../../../../src/gateway/server/project-endpoints.js';
import { REFERENCE_WITHOUT_ENV } from '../../../support/reference-project.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';

const load = async (variables: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const config = readConfig({ PROJECT_DIR: REFERENCE_WITHOUT_ENV, ...variables });
  return (await loadProjectEndpoints(config)).all().map(({ name }) => name);
};

const EXTERNAL = { CLICKHOUSE_URL: 'http://127.0.0.1:1' };

describe('the endpoints of a project', () => {
  it.each([
    ['on the embedded ClickHouse', {}],
    ['with a user for the request log', { ...EXTERNAL, CLICKHOUSE_LOG_USER: 'writer' }],
  ])('include the endpoint of the request log %s', async (_where, variables) => {
    expect(await load(variables)).toContain('gateway.requests');
  });

  it.each([
    ['without a user for it', EXTERNAL],
    ['where REQUEST_LOG is off', { REQUEST_LOG: 'off' }],
    ['where it is off for a user', { ...EXTERNAL, CLICKHOUSE_LOG_USER: 'writer', REQUEST_LOG: 'off' }],
  ])('do not include the endpoint of the request log %s', async (_where, variables) => {
    const names = await load(variables);
    expect(names).not.toContain('gateway.requests');
    expect(names).toContain('usage.api-counts');
  });

  it('may have settings for the endpoint of the request log where the log is not written', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'settings.json');
      await writeFile(file, JSON.stringify({ 'gateway.requests': { caching: 5 } }));
      await expect(load({ ...EXTERNAL, ENDPOINT_SETTINGS_FILE: file })).resolves.toContain('logs.all');
    });
  });
});
