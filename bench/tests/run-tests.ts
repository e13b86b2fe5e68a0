import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { parse, stringify } from 'yaml';

import { printMachine, printTable } from '../measuring/print.js';
import { timed } from '../measuring/sampling.js';
import { REFERENCE } from '../reference-project.js';
import { QUERYGATE, type Stage } from '../stage.js';

const FILES = 100;
const CALLS = 3;
const ROUNDS = 5;

/** Measures `querygate test` as a process: copies of the tests of the reference project, and one file alone. */
export async function runTests(stage: Stage): Promise<void> {
  const many = await projectWith(stage, 'many-tests', FILES);
  const one = await projectWith(stage, 'one-test', 1);
  printMachine(`${ROUNDS} runs of querygate test each, in turn; the start of its ClickHouse included`);
  const rows = new Map<string, { readonly times: number[]; summary: string }>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const folder of [many, one]) {
      const row = rows.get(folder) ?? { times: [], summary: '' };
      rows.set(folder, row);
      row.times.push(await timed(async () => (row.summary = await run(folder))));
    }
  }
  printTable(
    ['tests', 'median', 'slowest'],
    [...rows.values()].map(({ times, summary }) => {
      const sorted = times.toSorted((a, b) => a - b);
      const seconds = (ms = 0): string => `${(ms / 1000).toFixed(1)} s`;
      return [summary, seconds(sorted[ROUNDS >> 1]), seconds(sorted.at(-1))];
    }),
  );
}

/** A project with so many test files: those of the reference project with their first calls, again and again. */
async function projectWith(stage: Stage, name: string, files: number): Promise<string> {
  const folder = path.join(stage.folder, name);
  const tests = path.join(folder, 'tests');
  await mkdir(tests, { recursive: true });
  await symlink(REFERENCE.endpointsFolder, path.join(folder, 'endpoints'));
  await symlink(REFERENCE.schemaFolder, path.join(folder, 'clickhouse-schema'));
  const sources = (await readdir(REFERENCE.testsFolder)).filter((file) => file.endsWith('.yaml'));
  for (let at = 0; at < files; at += 1) {
    const source = sources[at % sources.length] ?? '';
    const text = await readFile(path.join(REFERENCE.testsFolder, source), 'utf8');
    const { calls, ...others } = parse(text) as { readonly calls: readonly object[] };
    const file = { endpoint: path.parse(source).name, ...others, calls: calls.slice(0, CALLS) };
    await writeFile(path.join(tests, `${at}.yaml`), stringify(file));
  }
  return folder;
}

/** @returns the last line of its report */
async function run(folder: string): Promise<string> {
  const command = [QUERYGATE, 'test', '--project', folder];
  const { stdout } = await promisify(execFile)(process.execPath, command, { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trimEnd().split('\n').at(-1) ?? '';
}
