import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { bindQuery } from '../../src/endpoint/bind.js';
import { loadEndpoints } from '../support/load-endpoints.js';
import { declareByKind, KIND_NAMES } from '../../src/endpoint/parameters/kinds.js';
import { ERRORS } from '../../src/gateway/errors.js';
import { validateParameters } from '../../src/gateway/query/validate-parameters.js';
import { demoDatabase } from '../support/demo-database.js';
import { codesIn, tableRows, textOf } from '../support/documentation.js';
import { rawParameters } from '../support/raw-parameters.js';
import { OWN_ENDPOINTS } from '../../src/gateway/observability/own-endpoints.js';
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

  it('lists the endpoints of every gateway, and no others', async () => {
    expect(await documentedEndpoints(httpApi)).toEqual(OWN_ENDPOINTS.map(({ name }) => name).toSorted());
  });
});

it('docs/how-to/staging-stack.md lists the endpoints of the repository', async () => {
  const documented = await documentedEndpoints(await textOf('docs/how-to/staging-stack.md'));
  expect(documented).toEqual(Object.keys(SHIPPED_ENDPOINTS).toSorted());
});

/** The names of the endpoints in the table of a page, whose settings are compared with the real ones. */
async function documentedEndpoints(page: string): Promise<readonly string[]> {
  const registry = await referenceEndpoints();
  const documented = tableRows(page, /^`[a-z.-]+`$/).filter((cells) => cells.length === 5);
  for (const [name, , , caching, warming] of documented) {
    const { settings } = registry.find(codesIn(name)[0] ?? '') ?? {};
    expect(caching).toBe(settings?.caching === 'disabled' ? 'disabled' : `${settings?.caching} s`);
    expect(warming).toBe(settings?.warming === 0 ? 'never' : `${settings?.warming} s`);
  }
  return documented.flatMap(([name]) => codesIn(name).slice(0, 1)).toSorted();
}

/** The number of rows that the example of an endpoint file returns from the demonstration data. */
async function rowsOfExample(file: string, source: string): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-docs-'));
  const { connection, now } = await demoDatabase();
  const client = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 20_000 });
  try {
    await writeFile(path.join(folder, file), source);
    const [endpoint] = (await loadEndpoints(folder)).all();
    if (!endpoint) throw new Error('the page has no endpoint');
    const values = validateParameters(endpoint, rawParameters(endpoint.example), { now });
    const result = await createQueryRunner(client, { timeoutMs: 20_000 })({
      query: bindQuery(endpoint.query, values, new Set(), now, endpoint.settings.maxRows + 1),
      columns: endpoint.columns,
      rowCap: endpoint.settings.maxRows,
      requestId: 'documentation',
      signal: new AbortController().signal,
    });
    return result.rowCount;
  } finally {
    await client.close();
    await rm(folder, { recursive: true, force: true });
  }
}

describe('the endpoint file of a page', () => {
  it.each([
    ['docs/how-to/write-an-endpoint.md', 'sql'],
    ['docs/how-to/write-an-endpoint.md', 'ts'],
    ['README.md', 'sql'],
  ])('returns rows: %s, in %s', async (page, language) => {
    const text = await textOf(page);
    const [, indent = '', block = ''] =
      new RegExp(`^( *)\`\`\`${language}\n(.*?)^ *\`\`\``, 'ms').exec(text) ?? [];
    const source = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    expect(await rowsOfExample(`auth.failures.${language}`, source)).toBeGreaterThan(0);
  });

  it('says of every kind of parameter what it is bound as', () => {
    const documented = tableRows(writeAnEndpoint, /^`[a-z-]+`$/)
      .filter((cells) => cells.length === 3)
      .map(([kind]) => codesIn(kind)[0]);
    expect(documented.toSorted()).toEqual(KIND_NAMES.filter((name) => !name.endsWith('-list')).toSorted());
  });

  it('says of every kind of parameter what the empty text means by default', () => {
    const [row = []] = tableRows(writeAnEndpoint, /^`empty`$/);
    const defaults = [...row.join().matchAll(/`(\w+)` \(the default(?: of `([a-z-]+)`)?/g)];
    const documented = new Map(defaults.map(([, meaning, kind = 'others']) => [kind, meaning]));
    for (const kind of KIND_NAMES.filter((name) => !name.endsWith('-list'))) {
      const own = { 'regular-expression': { maxLength: 10 }, enum: { choices: ['a'] } };
      const { empty, problems } = declareByKind(
        kind,
        { description: 'A value.', ...own[kind as keyof typeof own] },
        [],
      );
      expect(problems).toEqual([]);
      expect([kind, documented.get(kind) ?? documented.get('others')]).toEqual([kind, empty]);
    }
  });
});
