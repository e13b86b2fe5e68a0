import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { PACKAGE_FOLDER, readVersion } from '../../../package-files.js';
import type { ProjectFile } from './write-new-file.js';

const FOLDER = fileURLToPath(new URL('../templates', import.meta.url));

/** Placeholders in the templates: for the id of a new endpoint, and for the version of the package. */
const ID = /00000000-0000-4000-8000-000000000000/g;
const VERSION = /(?<=querygate:)0\.0\.0\b/g;
const DEPENDENCY = '"querygate": "0.0.0"';

/** Files that get a leading dot: npm omits a `.gitignore` from a package, or applies it. */
const DOT_FILES = new Set(['gitignore', 'env.example']);

/**
 * The files of a folder of templates, in the form of a new project.
 *
 * @param name `project`: files of every project. `example`: a table with demonstration data, and
 *   endpoints. The others: files of a deployment.
 */
export async function readTemplates(
  name:
    'project' | 'example' | 'own-clickhouse' | 'existing-clickhouse' | 'deploy-systemd' | 'deploy-kubernetes',
): Promise<readonly ProjectFile[]> {
  const folder = path.join(FOLDER, name);
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  const templates = await Promise.all(
    files.sort().map(async (file) => ({
      path: withDot(file).split(path.sep).join('/'),
      text: await readTemplate(path.join(folder, file)),
    })),
  );
  if (name !== 'own-clickhouse' && name !== 'existing-clickhouse') return templates;
  return [{ path: 'docker-compose.yml', text: await composeText(name) }, ...templates];
}

/** The text of one case. In the template, `#own` and `#existing` precede the lines of one case, and `#both` the lines of both. */
async function composeText(name: 'own-clickhouse' | 'existing-clickhouse'): Promise<string> {
  const text = await readTemplate(path.join(FOLDER, 'docker-compose.yml.template'));
  let isFor = 'both';
  const lines = text.split('\n').filter((line) => {
    const [, marker] = /^ *#(own|existing|both)$/.exec(line) ?? [];
    isFor = marker ?? isFor;
    return marker === undefined && (isFor === 'both' || name.startsWith(isFor));
  });
  return lines.join('\n');
}

function withDot(file: string): string {
  const { dir, base } = path.parse(file);
  return path.join(dir, DOT_FILES.has(base) ? `.${base}` : base);
}

/** A new endpoint file. @param name a valid name of an endpoint */
export async function newEndpointFile(name: string, form: 'sql' | 'ts'): Promise<ProjectFile> {
  const text = await readTemplate(path.join(FOLDER, 'endpoint', `endpoint.${form}`));
  return { path: `endpoints/${name}.${form}`, text: text.replace(/\bNAME\b/, name) };
}

/** A test of an endpoint as {@link newEndpointFile} writes it. */
export async function newTestFile(name: string): Promise<ProjectFile> {
  const text = await readTemplate(path.join(FOLDER, 'endpoint', 'test.yaml'));
  return { path: `tests/${name}.yaml`, text: text.replace(/\bNAME\b/, name) };
}

/** A test of an endpoint over a table, which expects no rows from an empty table. */
export function newTestOfTable(name: string, table: string): ProjectFile {
  const text = [
    `# What ${name} returns over these rows. Run it with: npx querygate test`,
    'now: 2026-05-17T12:00:00Z',
    'rows:',
    `  ${/^[a-z_]\w*$/i.test(table) ? table : JSON.stringify(table)}: [] # write rows here, and querygate test --update writes what comes`,
    'calls:',
    '  - name: Returns the rows of the table',
    '    rows: []',
    '',
  ];
  return { path: `tests/${name}.yaml`, text: text.join('\n') };
}

async function readTemplate(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  return text
    .replaceAll(ID, () => randomUUID())
    .replaceAll(VERSION, readVersion())
    .replace(DEPENDENCY, `"querygate": ${JSON.stringify(dependency())}`);
}

/** What a project depends on: the version of the package, or the clone that runs, which no registry has. */
function dependency(): string {
  const isInstalled = PACKAGE_FOLDER.split(path.sep).includes('node_modules');
  return isInstalled ? readVersion() : `file:${PACKAGE_FOLDER}`;
}
