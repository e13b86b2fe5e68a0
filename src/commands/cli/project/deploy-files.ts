import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { stringify } from 'yaml';

import { endpointFiles } from '../../../endpoint/endpoint-files.js';
import { ifPresent } from '../../../files/if-present.js';
import { projectIn, type Project } from '../../../gateway/config/project.js';
import { usageError } from '../exit-codes.js';
import { readTemplates } from './templates.js';
import type { ProjectFile } from './write-new-file.js';

/** Where a project can be deployed. */
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
  if (deployment === 'kubernetes')
    return [...(await readTemplates('deploy-kubernetes')), ...(await configMaps(project))];
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

/** The files of the project as ConfigMaps, which `deploy/kubernetes/gateway.yaml` mounts. */
async function configMaps(project: Project): Promise<readonly ProjectFile[]> {
  const settings = await ifPresent(readFile(project.settingsFile, 'utf8'));
  return [
    configMap('endpoints', await filesIn(project.endpointsFolder)),
    configMap('schema', await filesIn(project.schemaFolder, (name) => name.endsWith('.sql'))),
    configMap('settings', { 'endpoint-settings.json': settings ?? '{}\n' }),
  ];
}

/** As Kubernetes limits a ConfigMap, with a margin for what is around the files. */
const MAX_BYTES = 1_000_000;
const AS_IMAGE =
  'make an image of the project instead: docs/how-to/deploy-on-kubernetes.md of the package says how';

async function filesIn(
  folder: string,
  isWanted: (name: string) => boolean = () => true,
): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  for (const name of ((await ifPresent(readdir(folder))) ?? []).filter(isWanted).sort()) {
    const file = path.join(folder, name);
    if ((await stat(file)).isDirectory())
      throw usageError(`${file} is a folder, which no ConfigMap has: ${AS_IMAGE}`);
    if (!/^[-.\w]+$/.test(name)) throw usageError(`${file} has a name that no ConfigMap has: ${AS_IMAGE}`);
    files[name] = await readFile(file, 'utf8');
  }
  const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes <= MAX_BYTES) return files;
  throw usageError(`${folder} has ${bytes} bytes, more than a ConfigMap has: ${AS_IMAGE}`);
}

function configMap(part: string, data: Readonly<Record<string, string>>): ProjectFile {
  const content = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `querygate-${part}`, labels: { 'app.kubernetes.io/name': 'querygate' } },
    data,
  };
  const folders: Readonly<Record<string, string>> = { endpoints: 'endpoints/', schema: 'clickhouse-schema/' };
  const source = folders[part] ?? 'endpoint-settings.json';
  const command = `kubectl create configmap querygate-${part} --from-file=${source} --dry-run=client -o yaml`;
  return {
    path: `deploy/kubernetes/${part}.yaml`,
    text: `# ${source} of the project. After a change, make it again:\n#\n#   ${command} > deploy/kubernetes/${part}.yaml\n${stringify(content, { lineWidth: 0 })}`,
  };
}
