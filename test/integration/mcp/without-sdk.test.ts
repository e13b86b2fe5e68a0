import { mcpInstallation } from '../../../src/package-files.js';
import { textOf } from '../../support/documentation.js';
import { respondWith, withFakeClickHouse } from '../../support/fake-clickhouse.js';
import { installWithout } from '../../support/install-without.js';
import { startProcess } from '../../support/start-process.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';

const KEY = 'qg_only-for-tests';

it('an installation without the MCP SDK serves without /mcp, also with MCP=on, and logs the command that installs it', async () => {
  await withTemporaryFolder(async (folder) => {
    const main = [await installWithout('@modelcontextprotocol', folder), 'serve'];
    await withFakeClickHouse(respondWith('{"result":[]}', 0), async ({ url: CLICKHOUSE_URL }) => {
      const environment = { PORT: '0', API_KEY: KEY, CLICKHOUSE_URL, MCP: 'on' };
      const serving = startProcess(main, environment);
      const [, url = ''] = await serving.untilWritten(/"message":"ready".*"url":"([^"]+)"/);
      const response = await fetch(`${url}/mcp`, { method: 'POST', headers: { 'X-API-KEY': KEY } });
      expect(response.status).toBe(404);
      expect(serving.stdout()).toContain('MCP is not offered, because its package is not installed');
      expect(serving.stdout()).toContain(JSON.stringify(mcpInstallation()));
      serving.child.kill('SIGTERM');
      expect(await serving.ended).toBe(0);
    });
  });
});

it.each(['docs/how-to/agents.md', 'docs/how-to/deploy.md'])(
  '%s names the versions of package.json',
  async (page) => {
    const named = (await textOf(page)).match(/@modelcontextprotocol\/\w+@[\d.]+/g) ?? [];
    expect(named.length).toBeGreaterThan(0);
    for (const name of named) expect(mcpInstallation()).toContain(name);
  },
);
