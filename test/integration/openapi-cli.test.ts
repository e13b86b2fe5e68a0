import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { OpenApiDocument } from '../../src/gateway/http/describe/openapi/document.js';
import { readVersion } from '../../src/package-files.js';
import { runCli } from '../support/run-cli.js';
import { runNode } from '../support/run-node.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const REDOCLY = path.join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');

describe('querygate openapi', () => {
  it('prints the document of all endpoints, whose server is that of --server-url, else PUBLIC_URL', async () => {
    const PUBLIC_URL = 'https://querygate.example/api-gateway/';
    const documentOf = async (...args: readonly string[]): Promise<OpenApiDocument> => {
      const { code, stdout, stderr } = await runCli(['openapi', ...args], { PUBLIC_URL });
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout) as OpenApiDocument;
    };
    const { info, servers, paths } = await documentOf('--server-url', 'https://querygate.example');
    expect(info.version).toBe(readVersion());
    expect(servers.map(({ url }) => url)).toEqual(['https://querygate.example']);
    expect(Object.keys(paths)).toContain('/api/endpoints/query/usage.api-counts');
    const ofVariable = await documentOf();
    expect(ofVariable.servers.map(({ url }) => url)).toEqual(['https://querygate.example/api-gateway']);
  });

  it('writes a document without Redocly findings', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'openapi.json');
      expect(await runCli(['openapi', '--out', file])).toEqual({ code: 0, stdout: '', stderr: '' });
      const config = path.join(ROOT, 'redocly.yaml');
      const { output } = await runNode([REDOCLY, 'lint', file, '--config', config, '--format', 'json']);
      const report = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)) as {
        readonly totals: object;
      };
      expect(report.totals).toMatchObject({ errors: 0, warnings: 0 });
    });
  });
});
