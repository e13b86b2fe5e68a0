import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { prepareDatabase } from '../../src/commands/demo-data/prepare-database.js';
import { replayCalls, type Replay } from '../../src/commands/replay/compare-versions.js';
import { loadOtherVersion } from '../../src/commands/replay/other-version.js';
import type { Endpoints } from '../../src/endpoint/registry.js';
import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { printMachine, printTable } from '../measuring/print.js';
import { REFERENCE } from '../reference-project.js';
import { PROJECT_ROOT, type Stage } from '../stage.js';
import { callsOfClient } from './seeded-client.js';

const PER_ENDPOINT = 60;
const SEED = 37;
const DAY_MS = 86_400_000;
const PATCHES = path.join(PROJECT_ROOT, 'bench', 'replay');
const KINDS = ['changes', 'refactorings'] as const;

/** How a changed version compares with the committed one. */
interface Outcome {
  readonly patch: string;
  /** What the patch does, from its first line. */
  readonly about: string;
  readonly replay: Replay;
  readonly differs: number;
}

/**
 * Counts how many planted changes of the five endpoints `querygate replay` finds, and how many refactorings it reports falsely:
 * each patch in `bench/replay` is one changed version, and the calls are those of a seeded client on the demonstration data.
 */
export async function runReplay(stage: Stage): Promise<void> {
  const clickhouse = await stage.startClickHouse({ dataDir: path.join(stage.folder, 'replay') });
  // Yesterday in the afternoon: the data, and so the calls, are the same on each day.
  const now = new Date(`${new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)}T14:30:20.250Z`);
  await prepareDatabase(clickhouse.adminConnection, {
    schemaFolder: REFERENCE.schemaFolder,
    demo: { folder: REFERENCE.demoFolder, upTo: now },
  });
  const client = stage.connect(clickhouse.readerConnection);
  const calls = await callsOfClient(client, { now, perEndpoint: PER_ENDPOINT, seed: SEED });
  const before = await loadOtherVersion(PROJECT_ROOT, PROJECT_ROOT, {});
  const runQuery = createQueryRunner(client, { timeoutMs: 60_000 });
  const { signal } = new AbortController();
  printMachine(`${calls.length} distinct calls of a client with seed ${SEED}, on the demonstration data`);
  for (const kind of KINDS) {
    const outcomes: Outcome[] = [];
    for (const patch of (await readdir(path.join(PATCHES, kind))).sort()) {
      const file = path.join(PATCHES, kind, patch);
      const after = await patched(stage, kind, file);
      const replay = await replayCalls(calls, {
        ...{ runQuery, now: () => now, signal, budgetMs: Infinity },
        versionsOf: (name) => ({ before: before.find(name), after: after.find(name) }),
      });
      const [about = ''] = (await readFile(file, 'utf8')).split('\n');
      const replayed = replay.endpoints.flatMap((endpoint) => endpoint.replayed);
      const differs = replayed.filter(({ verdict }) => /^(?:differs|error|repaired)$/.test(verdict)).length;
      outcomes.push({ patch, about, replay, differs });
    }
    print(kind, outcomes);
  }
  await clickhouse.stop();
}

/** The endpoints with a patch applied. */
async function patched(stage: Stage, kind: string, file: string): Promise<Endpoints> {
  const folder = path.join(stage.folder, kind, path.basename(file, '.patch'));
  await mkdir(folder, { recursive: true });
  await cp(REFERENCE.endpointsFolder, path.join(folder, 'endpoints'), { recursive: true });
  await symlink(REFERENCE.schemaFolder, path.join(folder, 'clickhouse-schema'));
  await promisify(execFile)('git', ['apply', file], { cwd: folder });
  return loadOtherVersion(PROJECT_ROOT, folder, {});
}

function print(kind: (typeof KINDS)[number], outcomes: readonly Outcome[]): void {
  const reported = outcomes.filter(({ differs }) => differs > 0);
  process.stdout.write(`\n${kind}: ${reported.length} of ${outcomes.length} reported as different\n\n`);
  printTable(
    ['patch', 'different calls', 'compared', 'what it does'],
    outcomes.map(({ patch, differs, replay, about }) => {
      const compared = replay.endpoints.reduce((sum, { replayed }) => sum + replayed.length, 0);
      return [path.basename(patch, '.patch'), String(differs), String(compared), about];
    }),
  );
  const wrong = kind === 'changes' ? outcomes.filter(({ differs }) => differs === 0) : reported;
  for (const { patch, replay } of wrong) {
    const explained = replay.endpoints
      .flatMap(({ replayed }) => replayed)
      .find(({ explanation }) => explanation !== '');
    process.stdout.write(
      `\n${patch}: ${explained ? `${explained.call.parameters}\n${explained.explanation}` : 'not found'}\n`,
    );
  }
}
