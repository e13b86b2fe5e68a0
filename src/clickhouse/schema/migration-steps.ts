import type { ClickHouseClient } from '@clickhouse/client';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * What a statement of a migration asks for: SQL as it stands, or one of two things that SQL has no words for, written as
 * a comment in its last lines:
 *
 * - `-- querygate: wait for inserts`: until every INSERT that runs now is over;
 * - `-- querygate: fill TARGET from SOURCE a day at a time`, and a SELECT with `{day:Date32}`: rows of the SELECT for
 *   each day that the source has, added to the target once, however often the migration is interrupted.
 */
export type MigrationStep =
  | { readonly kind: 'sql'; readonly text: string }
  | { readonly kind: 'wait for inserts' }
  | { readonly kind: 'fill'; readonly target: string; readonly source: string; readonly select: string };

/** @throws Error where a statement holds a directive that is none of the two. */
export function readStep(statement: string): MigrationStep {
  const directive = /^-- querygate: *(.*)$/m.exec(statement);
  if (!directive) return { kind: 'sql', text: statement };
  const [line, words = ''] = directive;
  const rest = statement.slice(directive.index + line.length).trim();
  if (words === 'wait for inserts' && rest === '') return { kind: 'wait for inserts' };
  const [, target, source] = /^fill (\w+) from (\w+) a day at a time$/.exec(words) ?? [];
  if (target === undefined || source === undefined || !rest.includes('{day:Date32}')) {
    throw new Error(`"${line}" is no directive of a migration`);
  }
  return { kind: 'fill', target, source, select: rest };
}

/** Runs one step to its end. */
export async function runStep(
  client: ClickHouseClient,
  database: string,
  step: MigrationStep,
): Promise<void> {
  switch (step.kind) {
    case 'sql':
      await client.command({ query: step.text });
      return;
    case 'wait for inserts':
      await waitForInserts(client);
      return;
    case 'fill':
      await fill(client, database, step);
  }
}

const POLL_MS = 50;

/** Waits for the inserts that run now: each works with the table as it was when it began. */
async function waitForInserts(client: ClickHouseClient): Promise<void> {
  const before = await runningInserts(client);
  if (before.length === 0) return;
  for (;;) {
    const now = new Set(await runningInserts(client));
    if (!before.some((id) => now.has(id))) return;
    await delay(POLL_MS);
  }
}

function runningInserts(client: ClickHouseClient): Promise<readonly string[]> {
  return texts(
    client,
    "SELECT query_id FROM system.processes WHERE query_kind IN ('Insert', 'AsyncInsertFlush')",
  );
}

/** A day's groups are few enough for the memory of a small server; where they are not, they go to disk. */
const FILL_SETTINGS = { max_bytes_before_external_group_by: '1000000000', max_execution_time: 0 };

/**
 * Fills a table beside the target, names it complete by renaming it, and moves its partitions, each of which is gone
 * from there once it is here: after an interruption what was complete is moved on, and what was not is made anew.
 */
async function fill(
  client: ClickHouseClient,
  database: string,
  { target, source, select }: Extract<MigrationStep, { kind: 'fill' }>,
): Promise<void> {
  const [filling, filled] = [`${target}_filling`, `${target}_filled`];
  if (!(await exists(client, database, filled))) {
    await client.command({ query: `DROP TABLE IF EXISTS ${filling} SYNC` });
    await client.command({ query: `CREATE TABLE ${filling} AS ${target}` });
    for (const day of await daysOf(client, database, source)) {
      await client.command({
        query: `INSERT INTO ${filling}\n${select}`,
        query_params: { day },
        clickhouse_settings: FILL_SETTINGS,
      });
    }
    await client.command({ query: `RENAME TABLE ${filling} TO ${filled}` });
  }
  for (const partition of await partitionsOf(client, database, filled)) {
    await client.command({
      query: `ALTER TABLE ${filled} MOVE PARTITION ID {partition:String} TO TABLE ${target}`,
      query_params: { partition },
    });
  }
  await client.command({ query: `DROP TABLE ${filled} SYNC` });
}

async function exists(client: ClickHouseClient, database: string, table: string): Promise<boolean> {
  const query = 'SELECT name FROM system.tables WHERE database = {database:String} AND name = {table:String}';
  return (await texts(client, query, { database, table })).length > 0;
}

/** The days of a table that is partitioned by them. */
function daysOf(client: ClickHouseClient, database: string, table: string): Promise<readonly string[]> {
  const query = `
    SELECT DISTINCT partition FROM system.parts
    WHERE database = {database:String} AND table = {table:String} AND active ORDER BY partition`;
  return texts(client, query, { database, table });
}

function partitionsOf(client: ClickHouseClient, database: string, table: string): Promise<readonly string[]> {
  const query = `
    SELECT DISTINCT partition_id FROM system.parts
    WHERE database = {database:String} AND table = {table:String} AND active ORDER BY partition_id`;
  return texts(client, query, { database, table });
}

async function texts(
  client: ClickHouseClient,
  query: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const result = await client.query({ query, query_params: parameters, format: 'JSONCompactEachRow' });
  return (await result.json<[string]>()).map(([value]) => value);
}
