import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { connectClickHouse } from '../../src/clickhouse/connection.js';
import { createQueryRunner } from '../../src/clickhouse/query-runner.js';
import { bindQuery } from '../../src/endpoint/bind.js';
import { loadEndpoints } from '../../src/endpoint/load-endpoints.js';
import { ERRORS } from '../../src/errors.js';
import { validateParameters } from '../../src/query/validate-parameters.js';
import { demoDatabase } from '../support/demo-database.js';
import { codesIn, tableRows, textOf } from '../support/documentation.js';
import { rawParameters } from '../support/raw-parameters.js';
import { SHIPPED_ENDPOINTS } from '../support/shipped-endpoints.js';
import { referenceEndpoints } from '../support/reference-project.js';

const httpApi = await textOf('docs/reference/http-api.md');
const writeAnEndpoint = await textOf('docs/how-to/write-an-endpoint.md');

describe('docs/reference/http-api.md', () => {
  it('lists every error code with its status, and no other', () => {
    const named = tableRows(httpApi, /^\d{3}(, \d{3})?$/).flatMap(([status = '', codes]) =>
      codesIn(codes).map((code) => [code, status.split(', ').map(Number)] as const),
    );
    expect(named.map(([code]) => code).sort()).toEqual(Object.keys(ERRORS).sort());
    for (const [code, statuses] of named)
      expect(statuses).toContain(ERRORS[code as keyof typeof ERRORS].status);
  });

  it('lists the shipped endpoints with their settings', async () => {
    const registry = await referenceEndpoints();
    const documented = tableRows(httpApi, /^`[a-z.-]+`$/).filter((cells) => cells.length === 5);
    const names = documented.map(([name]) => codesIn(name)[0]);
    expect(names.toSorted()).toEqual(['gateway.requests', ...Object.keys(SHIPPED_ENDPOINTS)].toSorted());
    for (const [name, , , caching, warming] of documented) {
      const { settings } = registry.find(codesIn(name)[0] ?? '') ?? {};
      expect(caching).toBe(settings?.caching === 'disabled' ? 'disabled' : `${settings?.caching} s`);
      expect(warming).toBe(settings?.warming === 0 ? 'never' : `${settings?.warming} s`);
    }
  });
});

describe('docs/how-to/write-an-endpoint.md', () => {
  it('has an example endpoint that returns rows', async () => {
    const source = /```ts\n(.*?)```/s.exec(writeAnEndpoint)?.[1] ?? '';
    const folder = await mkdtemp(path.join(tmpdir(), 'querygate-docs-'));
    const { connection, now } = await demoDatabase();
    const client = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 20_000 });
    try {
      await writeFile(path.join(folder, 'auth.failures.ts'), source);
      const [endpoint] = (await loadEndpoints(folder)).all();
      if (!endpoint) throw new Error('the page has no endpoint');
      const result = await createQueryRunner(client, { timeoutMs: 20_000 })({
        query: bindQuery(
          endpoint.query,
          validateParameters(endpoint, rawParameters(endpoint.example)),
          new Set(),
          now,
          endpoint.settings.maxRows + 1,
        ),
        columns: endpoint.columns,
        rowCap: endpoint.settings.maxRows,
        requestId: 'documentation',
        signal: new AbortController().signal,
      });
      expect(result.rowCount).toBeGreaterThan(0);
    } finally {
      await client.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
