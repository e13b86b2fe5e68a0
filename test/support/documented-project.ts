import { copyFile, cp, readFile } from 'node:fs/promises';
import path from 'node:path';

import type { ClickHouseClient } from '@clickhouse/client';

import { REFERENCE } from './reference-project.js';
import { runCli } from './run-cli.js';

/**
 * Makes a folder a project with the endpoints that `querygate init` writes, which pages call, beside those of this repository or
 * its tables alone, and fills their table.
 */
export async function writeDocumentedProject(
  folder: string,
  client: ClickHouseClient,
  beside: 'endpoints' | 'tables' = 'endpoints',
): Promise<void> {
  const example = path.join(folder, 'example');
  const made = await runCli(['init', example]);
  if (made.code !== 0) throw new Error(made.stderr);
  // Copies: a link may not lead out of a project.
  const own = [
    [REFERENCE.endpointsFolder, 'endpoints'],
    [REFERENCE.testsFolder, 'tests'],
  ] as const;
  for (const [source, name] of [
    ...(beside === 'endpoints' ? own : []),
    [REFERENCE.schemaFolder, 'clickhouse-schema'],
    [path.join(example, 'endpoints'), 'endpoints'],
    [path.join(example, 'tests'), 'tests'],
  ] as const)
    await cp(source, path.join(folder, name), { recursive: true });
  const table = path.join(example, 'clickhouse-schema/0001_requests.sql');
  await copyFile(table, path.join(folder, 'clickhouse-schema/9001_requests.sql'));
  const now = new Date().toISOString().replace('T', ' ').replace('Z', '');
  for (const file of [table, path.join(example, 'demo/01_requests.sql')])
    await client.command({
      query: (await readFile(file, 'utf8')).trimEnd().replace(/;$/, ''),
      query_params: { now },
    });
}
