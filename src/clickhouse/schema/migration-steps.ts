import type { ClickHouseClient } from '@clickhouse/client';
import { setTimeout as delay } from 'node:timers/promises';

import { fillTable, type Fill } from './fill-table.js';
import type { CheckLock } from './migration-lock.js';

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
  | ({ readonly kind: 'fill' } & Fill);

/** @throws Error where a statement holds a directive that is none of the two. */
export function readStep(statement: string): MigrationStep {
  const directive = /^-- querygate: *(.*)$/m.exec(statement);
  if (!directive) return { kind: 'sql', text: statement };
  const [line, words = ''] = directive;
  const rest = statement.slice(directive.index + line.length).trim();
  if (words === 'wait for inserts' && rest === '') return { kind: 'wait for inserts' };
  const [, target, source] = /^fill (\w+) from (\w+) a day at a time$/.exec(words) ?? [];
  if (target === undefined || source === undefined || !rest.includes('{day:Date32}')) {
    throw new Error(
      `"${line}" is no directive of a migration: "wait for inserts" stands alone, and "fill TARGET from SOURCE a day ` +
        'at a time" stands above a SELECT with {day:Date32}',
    );
  }
  return { kind: 'fill', target, source, select: rest };
}

/** Runs one step to its end; begun again after an interruption, it goes on to the same end. */
export async function runStep(
  client: ClickHouseClient,
  database: string,
  step: MigrationStep,
  checkLock: CheckLock,
): Promise<void> {
  switch (step.kind) {
    case 'sql':
      await client.command({ query: step.text });
      return;
    case 'wait for inserts':
      await waitForInserts(client);
      return;
    case 'fill':
      await fillTable(client, database, step, checkLock);
  }
}

const POLL_MS = 50;

/**
 * Waits for the inserts that run now: each works with the table as it was when it began. They are known by their age, since
 * a client may give one insert after the other the same query id.
 */
async function waitForInserts(client: ClickHouseClient): Promise<void> {
  const began = performance.now();
  while (await runsInsertOlderThan(client, (performance.now() - began) / 1000)) await delay(POLL_MS);
}

async function runsInsertOlderThan(client: ClickHouseClient, seconds: number): Promise<boolean> {
  const result = await client.query({
    query: `
      SELECT query_id FROM system.processes
      WHERE query_kind IN ('Insert', 'AsyncInsertFlush') AND elapsed >= {seconds:Float64}`,
    query_params: { seconds },
    format: 'JSONEachRow',
  });
  return (await result.json()).length > 0;
}
