import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { VARIABLES } from '../../src/gateway/config/variables.js';
import { ProjectFolder } from './project-folder.js';
import { runCli, type Outcome } from './run-cli.js';
import { makeTemporaryFolder } from './temporary-folder.js';

const idOf = (id: number): string => `7d1f0c04-5cb3-41e7-907b-${String(id).padStart(12, '0')}`;

const endpoint = (name: string, id: number, header: string, select: string): string =>
  `/*\nname: ${name}\nid: ${idOf(id)}\nsummary: For a test of querygate test.\n${header}\n*/\n${select}\n`;

const FILES = {
  'clickhouse-schema/0001_visits.sql': `
    CREATE TABLE visits (at DateTime64(3, 'UTC'), city String, people UInt64, share Float64)
    ENGINE = MergeTree ORDER BY at TTL toDateTime(at) + INTERVAL 1 DAY;
    CREATE TABLE totals (city String, people UInt64) ENGINE = SummingMergeTree ORDER BY city;
    CREATE TABLE exact (id UInt64, d Decimal(38, 10), t DateTime64(9, 'UTC'), s String, f Map(String, Float64))
    ENGINE = ReplacingMergeTree ORDER BY id;
    CREATE TABLE lines (n UInt8) ENGINE = TinyLog;
    CREATE TABLE all_lines (n UInt8) ENGINE = Merge(currentDatabase(), '^lines$');
    CREATE VIEW of_today AS SELECT city FROM visits WHERE at > today();
    CREATE MATERIALIZED VIEW to_totals TO totals AS SELECT city, sum(people) AS people FROM visits GROUP BY city;`,
  'endpoints/visits.sql': endpoint(
    'visits',
    1,
    `parameters:
  city: { kind: string, description: A city. }
  word: { kind: string, secret: true, description: A secret. }
columns: { city: String, people: UInt64, share: Float64 }
maxRows: 2`,
    `SELECT city, people, share FROM visits WHERE true [[ AND city = @city ]] [[ AND @word != '' ]] ORDER BY people`,
  ),
  'endpoints/visits@2.sql': endpoint(
    'visits@2',
    2,
    `columns: { city: String, people: UInt64 }`,
    'SELECT city, sum(people) AS people FROM totals GROUP BY city ORDER BY city',
  ),
  'endpoints/recent.sql': endpoint(
    'recent',
    3,
    `columns: { city: String }`,
    'SELECT city FROM visits WHERE at > @now - INTERVAL 1 HOUR',
  ),
  'endpoints/exact.sql': endpoint(
    'exact',
    5,
    `columns: { id: UInt64, d: 'Decimal(38, 10)', t: "DateTime64(9, 'UTC')", s: String, f: 'Map(String, Float64)' }
limits: { requests: { quota: 2, window: 60 } }`,
    'SELECT id, d, t, s, f FROM exact',
  ),
  'endpoints/lines.sql': endpoint('lines', 6, `columns: { n: UInt8 }`, 'SELECT n FROM all_lines'),
  'endpoints/view.sql': endpoint('view', 7, `columns: { city: String }`, 'SELECT city FROM of_today'),
  'endpoints/clock.sql': endpoint(
    'clock',
    4,
    `columns: { city: String }`,
    `SELECT city FROM visits WHERE at > now() - 3600 AND city != 'today() is text'`,
  ),
};

const NOT_DEPLOYED = new Set(['PROJECT_DIR', 'CLICKHOUSE_DATABASE', 'DATA_DIR']);
const variables = Object.keys((VARIABLES.describe() as { readonly keys: object }).keys);

/** The variables of a deployment: each invalid, except where a valid one would lead elsewhere, or cannot go with what tests are. */
const DEPLOYED = {
  ...Object.fromEntries(variables.filter((name) => !NOT_DEPLOYED.has(name)).map((name) => [name, '?'])),
  WORKERS: '4',
  CLICKHOUSE_URL: 'http://127.0.0.1:1',
  CLICKHOUSE_PASSWORD: 'secret',
  REDIS_URL: 'redis://127.0.0.1:1',
  RECORD_CALLS: 'on',
};

/** What a run of tests wrote about each file, by its name without `tests/` and `.yaml`. */
export const reportsOf = ({ stdout }: Outcome): Readonly<Record<string, string>> =>
  Object.fromEntries(
    stdout
      .split(/^(?=(?:ok|failed) {2}tests)/m)
      .map((report) => [/ {2}tests\/(.*)\.yaml/.exec(report)?.[1] ?? '', report]),
  );

/** A project with endpoints over a table, whose test files a test writes. */
export class TestedProject extends ProjectFolder {
  static async create(): Promise<TestedProject> {
    const project = new TestedProject(await makeTemporaryFolder());
    await project.write(FILES);
    await mkdir(project.temporaryFolder);
    return project;
  }

  /** Where the command makes its temporary files. */
  get temporaryFolder(): string {
    return path.join(this.temporary.path, 'tmp');
  }

  /** Runs `querygate test` with the variables of a deployment, which it must not use. */
  test(...args: readonly string[]): Promise<Outcome> {
    return runCli(['test', ...args, '--project', this.folder], {
      ...DEPLOYED,
      TMPDIR: this.temporaryFolder,
    });
  }
}
