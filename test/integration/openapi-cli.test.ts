import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { OpenApiDocument } from '../../src/gateway/http/describe/openapi/document.js';
import { readVersion } from '../../src/package-files.js';
import { runNode } from '../support/run-node.js';
import { QUERYGATE } from '../support/run-cli.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const REDOCLY = path.join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');

describe('npm run openapi', () => {
  it('prints the document of all endpoints', async () => {
    const { code, output } = await runNode([
      QUERYGATE,
      'openapi',
      '--server-url',
      'https://querygate.example',
    ]);
    const document = JSON.parse(output) as OpenApiDocument;
    expect(code).toBe(0);
    expect(document.info.version).toBe(readVersion());
    expect(document.servers.map(({ url }) => url)).toEqual(['https://querygate.example']);
    expect(Object.keys(document.paths)).toContain('/api/endpoints/query/usage.api-counts');
  });

  it('prints PUBLIC_URL as the server where --server-url is not given', async () => {
    const PUBLIC_URL = 'https://querygate.example/api-gateway/';
    const { output } = await runNode([QUERYGATE, 'openapi'], ROOT, { PUBLIC_URL });
    const { servers } = JSON.parse(output) as OpenApiDocument;
    expect(servers.map(({ url }) => url)).toEqual(['https://querygate.example/api-gateway']);
  });

  it('writes a document without Redocly findings', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'openapi.json');
      expect(await runNode([QUERYGATE, 'openapi', '--out', file])).toEqual({ code: 0, output: '' });
      const config = path.join(ROOT, 'redocly.yaml');
      const linted = await runNode([REDOCLY, 'lint', file, '--config', config, '--format', 'json']);
      const report = JSON.parse(
        linted.output.slice(linted.output.indexOf('{'), linted.output.lastIndexOf('}') + 1),
      ) as {
        totals: object;
      };
      expect(report.totals).toMatchObject({ errors: 0, warnings: 0 });
    });
  });
});
