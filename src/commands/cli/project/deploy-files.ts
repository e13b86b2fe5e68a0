import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { stringify } from 'yaml';

import { endpointFiles } from '../../../endpoint/endpoint-files.js';
import { ifPresent } from '../../../files/if-present.js';
import { projectIn, type Project } from '../../../gateway/config/project.js';
import { usageError } from '../exit-codes.js';
import { readTemplates } from './templates.js';
import type { ProjectFile } from './write-new-file.js';

/** The targets of a deployment. */
export const DEPLOYMENTS = ['compose', 'systemd', 'kubernetes'] as const;
export type Deployment = (typeof DEPLOYMENTS)[number];

/** Files with which a project is deployed. @throws CommandError where the folder has no endpoints, or its files fit in no ConfigMap */
export async function deployFiles(deployment: Deployment, folder: string): Promise<readonly ProjectFile[]> {
  const project = projectIn(folder);
  if ((await endpointFiles(project.endpointsFolder)).length === 0) {
    throw usageError(
      `${project.folder} has no endpoints: --deploy is for a project, which querygate init writes`,
    );
  }
  if (deployment === 'systemd') return readTemplates('deploy-systemd');
  if (deployment === 'kubernetes') return kubernetesFiles(project);
  const files = await readTemplates((await namesServer(project)) ? 'existing-clickhouse' : 'own-clickhouse');
  return files.filter(({ path: file }) => file !== 'README.md');
}

/** Whether the variables of the project name a ClickHouse. */
async function namesServer({ folder }: Project): Promise<boolean> {
  const texts = await Promise.all(
    ['.env', '.env.example'].map((file) => ifPresent(readFile(path.join(folder, file), 'utf8'))),
  );
  return texts.some((text = '') => /^CLICKHOUSE_URL=./m.test(text));
}

/** The manifests, with the files of the project as ConfigMaps that the pods mount. */
async function kubernetesFiles(project: Project): Promise<readonly ProjectFile[]> {
  const settings = await ifPresent(readFile(project.settingsFile, 'utf8'));
  const parts: readonly Part[] = [
    { name: 'endpoints', source: 'endpoints/', files: await filesIn(project.endpointsFolder) },
    {
      name: 'schema',
      source: 'clickhouse-schema/',
      files: await filesIn(project.schemaFolder, (name) => /^[^/]+\.sql$/.test(name)),
    },
    {
      name: 'settings',
      source: 'endpoint-settings.json',
      files: [{ key: 'endpoint-settings.json', path: 'endpoint-settings.json', text: settings ?? '{}\n' }],
    },
  ];
  const templates = await readTemplates('deploy-kubernetes');
  return [
    ...templates.map((file) => ({ ...file, text: parts.reduce(withItems, file.text) })),
    ...parts.map(configMap),
  ];
}

/** A file of the project in a ConfigMap. */
interface MountedFile {
  readonly key: string;
  /** Path of the file in the pods, below the folder. */
  readonly path: string;
  readonly text: string;
}

/** What one ConfigMap has. */
interface Part {
  readonly name: string;
  readonly source: string;
  readonly files: readonly MountedFile[];
}

/** Kubernetes' limit for a ConfigMap, with a margin for the text around the files. */
const MAX_BYTES = 1_000_000;
const AS_IMAGE =
  'make an image of the project instead: docs/how-to/deploy-on-kubernetes.md of the package says how';

/** The key of a file: its path, with a code in place of each character that no key of a ConfigMap has. */
const keyOf = (name: string): string =>
  name.replaceAll(/[^-.\w]/gu, (character) => `_${character.codePointAt(0)?.toString(16) ?? ''}_`);

async function filesIn(
  folder: string,
  isWanted: (name: string) => boolean = (name) => !/(?:^|\/)(?:\.|node_modules(?:\/|$))/.test(name),
): Promise<readonly MountedFile[]> {
  const files: MountedFile[] = [];
  const entries = (await ifPresent(readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
  const paths = entries.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  for (const name of paths.filter(isWanted).sort()) {
    const file = path.join(folder, name);
    // Its files are entries too.
    if ((await lstat(file)).isDirectory()) continue;
    if ((await stat(file)).isDirectory())
      throw usageError(`${file} is a link to a folder, which no ConfigMap has: ${AS_IMAGE}`);
    const key = keyOf(name);
    if (key.length > 253 || /\p{Cc}/u.test(name) || files.some((each) => each.key === key))
      throw usageError(`${file} has a name that no ConfigMap has: ${AS_IMAGE}`);
    files.push({ key, path: name, text: await readFile(file, 'utf8') });
  }
  const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes <= MAX_BYTES) return files;
  throw usageError(`${folder} has ${bytes} bytes, more than a ConfigMap has: ${AS_IMAGE}`);
}

/** Whether the pods have a file under another name than its key, so that the manifests list all files of the part. */
const isListed = ({ files }: Part): boolean => files.some((file) => file.key !== file.path);

/** A manifest whose volumes list the files of a part, where Kubernetes requires that. */
function withItems(manifest: string, part: Part): string {
  if (!isListed(part)) return manifest;
  const items = part.files.map(
    (file) => `\n${' '.repeat(14)}- ${JSON.stringify({ key: file.key, path: file.path })}`,
  );
  return manifest.replaceAll(
    `configMap: { name: querygate-${part.name} }`,
    () =>
      `configMap:\n            name: querygate-${part.name}\n            # A new file of ${part.source} is mounted where it is listed here.\n            items:${items.join('')}`,
  );
}

function configMap(part: Part): ProjectFile {
  const { name, source, files } = part;
  const content = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `querygate-${name}`, labels: { 'app.kubernetes.io/name': 'querygate' } },
    data: Object.fromEntries(files.map(({ key, text }) => [key, text])),
  };
  const from = isListed(part)
    ? files.map((file) => `--from-file=${file.key}='${source}${file.path.replaceAll("'", String.raw`'\''`)}'`)
    : [`--from-file=${source}`];
  const command = `kubectl create configmap querygate-${name} ${from.join(' ')} --dry-run=client -o yaml`;
  const target = `deploy/kubernetes/${name}.yaml`;
  return {
    path: target,
    text: `# ${source} of the project. After a change, make it again:\n#\n#   ${command} > ${target}\n${stringify(content, { lineWidth: 0 })}`,
  };
}
