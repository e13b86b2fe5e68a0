import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

const SQL_FILES = 70;
const TYPESCRIPT_FILES = 30;
export const FILES = SQL_FILES + TYPESCRIPT_FILES;

/** Which files of a project change together. */
export type Change = 'one .sql file' | 'one .ts file' | 'the shared module' | 'all 100 files';
export const CHANGES: readonly Change[] = [
  'one .sql file',
  'one .ts file',
  'the shared module',
  'all 100 files',
];

/** A project whose endpoints each return the version of their definition, and of the module that they share. */
export class ChangingProject {
  private readonly versions = new Array<number>(FILES).fill(0);
  private shared = 0;

  private constructor(readonly folder: string) {}

  static async create(folder: string): Promise<ChangingProject> {
    const project = new ChangingProject(folder);
    for (const below of ['endpoints', 'clickhouse-schema']) {
      await mkdir(path.join(folder, below), { recursive: true });
    }
    await writeFile(path.join(folder, 'clickhouse-schema', '0001_events.sql'), TABLE);
    await project.change('all 100 files');
    return project;
  }

  /** Writes a new version into files. @returns the endpoints that it changes */
  async change(change: Change): Promise<readonly number[]> {
    if (change === 'the shared module' || change === 'all 100 files') {
      this.shared += 1;
      const module = `import { sql } from 'querygate';\nexport const shared = sql\`${this.shared}\`;\n`;
      await writeFile(this.path('_shared.ts'), module);
    }
    const files = filesOf(change);
    for (const file of files) this.versions[file] = (this.versions[file] ?? 0) + 1;
    await Promise.all(files.map((file) => this.write(file)));
    return change === 'the shared module' ? TYPESCRIPT : files;
  }

  /** The version that an endpoint returns when its file is loaded as it is now. */
  versionOf(file: number): number {
    return (this.versions[file] ?? 0) * 1e6 + (file < SQL_FILES ? 0 : this.shared);
  }

  private write(file: number): Promise<void> {
    const version = this.versions[file] ?? 0;
    return file < SQL_FILES
      ? writeFile(this.path(`${nameOf(file)}.sql`), sqlFile(file, version))
      : writeFile(this.path(`${nameOf(file)}.ts`), typescriptFile(file, version));
  }

  private path(file: string): string {
    return path.join(this.folder, 'endpoints', file);
  }
}

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);
const TYPESCRIPT = numbers(SQL_FILES, FILES);

function filesOf(change: Change): readonly number[] {
  if (change === 'one .sql file') return [0];
  if (change === 'one .ts file') return [SQL_FILES];
  return change === 'all 100 files' ? numbers(0, FILES) : [];
}

export const nameOf = (file: number): string => `events.of-kind-${file}`;
const idOf = (file: number): string => `61f0c404-5cb3-41e7-907b-a6006ad3${String(file).padStart(4, '0')}`;

const TABLE = `CREATE TABLE events (at DateTime, kind UInt32, project LowCardinality(String), value Float64)
ENGINE = MergeTree ORDER BY (kind, at);
`;

const sqlFile = (file: number, version: number): string => `/*
name: ${nameOf(file)}
id: ${idOf(file)}
summary: Events of the kind ${file}.
parameters:
  project: { kind: string, description: Name of the project. }
  since: { kind: timestamp, description: Only events since this time. }
  until: { kind: timestamp, description: Only events before this time. }
  least: { kind: number, description: Only events of at least this value. }
  most: { kind: number, description: Only events of at most this value. }
  rows: { kind: integer, minimum: 1, maximum: 1000, default: 100, description: Number of rows. }
columns: { version: UInt64, events: UInt64, newest: DateTime }
caching: 3600
example: { project: aurora }
*/
SELECT toUInt64(${version * 1e6}) AS version, count() AS events, max(at) AS newest
FROM events
WHERE kind = ${file}
  [[ AND project = @project ]]
  [[ AND at >= @since ]]
  [[ AND at < @until ]]
  [[ AND value >= @least ]]
  [[ AND value <= @most ]]
LIMIT @rows
`;

const typescriptFile = (
  file: number,
  version: number,
): string => `import { column, defineEndpoint, number, sql, text, whenGiven, where } from 'querygate';
import { shared } from './_shared.js';

export default defineEndpoint({
  id: '${idOf(file)}',
  name: '${nameOf(file)}',
  summary: 'Events of the kind ${file}.',
  parameters: {
    project: text({ description: 'Name of the project.' }),
    least: number({ description: 'Only events of at least this value.' }),
  },
  columns: {
    version: column('UInt64', 'Version of the file and of the module that it imports.'),
    events: column('UInt64', 'Number of events.'),
  },
  maxRows: 1,
  caching: 3600,
  warming: 0,
  sandboxing: 'disabled',
  example: { project: 'aurora' },
  build: ({ project, least }) => sql\`
    SELECT toUInt64(${version * 1e6} + \${shared}) AS version, count() AS events
    FROM events
    \${where(sql\`kind = ${file}\`, whenGiven(project, sql\`project = \${project}\`),
      whenGiven(least, sql\`value >= \${least}\`))}\`,
});
`;
