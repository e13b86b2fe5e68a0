import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { projectIn } from '../../../gateway/config/project.js';
import { endpointFiles } from '../../../endpoint/endpoint-files.js';
import { ifPresent } from '../../../files/if-present.js';
import { newEndpointFile, readTemplates } from './templates.js';
import type { ProjectFile } from './write-new-file.js';

/** The files of a project, and why the example is not among them. */
export interface ProjectFiles {
  readonly files: readonly ProjectFile[];
  readonly skipped?: string;
}

/**
 * The files of a project with an example: endpoints, a table, and rows. The example is omitted where the folder already has such files,
 * because it could contradict them. The project then gets an endpoint only where it has none.
 */
export async function exampleProject(folder: string): Promise<ProjectFiles> {
  const common = [...(await readTemplates('project')), ...(await readTemplates('own-clickhouse'))];
  const example = await readTemplates('example');
  const { endpointsFolder, schemaFolder, demoFolder } = projectIn(folder);
  const endpoints = await endpointFiles(endpointsFolder);
  const existing = [
    ...endpoints.map((file) => path.join('endpoints', file)),
    ...(await sqlFiles(schemaFolder)),
    ...(await sqlFiles(demoFolder)),
  ].map((file) => file.split(path.sep).join('/'));
  const own = existing.find((file) => !example.some(({ path: known }) => known === file));
  if (own === undefined) return { files: [...example, ...common] };
  const added = endpoints.length > 0 ? [] : [await newEndpointFile('example', 'sql')];
  return {
    files: [...added, ...common.map(endpoints.length > 0 ? withoutSettings : unchanged)],
    skipped: `The folder has ${own}, so no example is added.`,
  };
}

const unchanged = (file: ProjectFile): ProjectFile => file;

/** Callers of endpoints that exist may send what the settings of a new project would reject. */
const withoutSettings = (file: ProjectFile): ProjectFile =>
  file.path === 'endpoint-settings.json' ? { ...file, text: '{}\n' } : file;

async function sqlFiles(folder: string): Promise<readonly string[]> {
  const names = (await ifPresent(readdir(folder))) ?? [];
  return names.filter((name) => name.endsWith('.sql')).map((name) => path.join(path.basename(folder), name));
}
