import { fileURLToPath } from 'node:url';

import { column } from '../../../src/endpoint/definition.js';
import { defineEndpoint } from '../../../src/endpoint/endpoint.js';
import { text } from '../../../src/endpoint/index.js';
import { keyNamed } from '../../support/access-gateway.js';
import { REVISIONS } from '../../support/mcp-client.js';
import { startKeyAdder, type KeyAdder } from '../../support/mcp-conformance/with-key.js';
import { McpOnClickHouse } from '../../support/mcp-on-clickhouse.js';
import { SAMPLE } from '../../support/sample-endpoint.js';
import { startProcess } from '../../support/start-process.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const PRELOAD = pathOf('../../support/mcp-conformance/without-glob-sync.mjs');
const SUITE = pathOf('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Endpoints whose tools have the names that the suite calls: one that returns text, and one whose call is an error. */
const CALLED = [
  defineEndpoint({
    ...SAMPLE,
    id: '11111111-2222-4333-8444-888888888888',
    name: 'test.simple.text',
    columns: { city: column('Nullable(String)', 'The city.') },
  }),
  defineEndpoint({
    ...SAMPLE,
    id: '11111111-2222-4333-8444-999999999999',
    name: 'test.error.handling',
    parameters: { city: text({ description: 'A city.', required: true }) },
  }),
];

let adder: KeyAdder;
let mcp: McpOnClickHouse;
beforeAll(async () => {
  adder = await startKeyAdder();
  mcp = await McpOnClickHouse.open({ more: CALLED, environment: { CORS_ORIGINS: adder.url } });
  adder.forwardTo(mcp.gateway.url(), keyNamed('caller'));
});
afterAll(async () => {
  await adder.close();
  await mcp.close();
});

describe('the conformance suite of the protocol', () => {
  it.each(REVISIONS)('finds only expected failures in the revision %s', async (revision) => {
    await withTemporaryFolder(async (folder) => {
      const expected = pathOf(`../../support/mcp-conformance/expected-${revision}.yml`);
      const suite = startProcess([
        ...['--import', PRELOAD, SUITE, 'server', '--suite', 'all', '--url', `${adder.url}/mcp`],
        ...['--spec-version', revision, '--expected-failures', expected],
        ...['--output-dir', folder],
      ]);
      const code = await suite.ended;
      // The end of the output lists the failures that are not expected, and the expected ones that did not occur.
      if (code !== 0) throw new Error(suite.stdout().slice(-3000) + suite.stderr().slice(-1000));
      expect(mcp.complaints).toEqual([]);
    });
  });
});
