import path from 'node:path';

import type { ClickHouseConnection } from '../../../gateway/clickhouse/connection.js';
import { projectIn } from '../../../gateway/config/project.js';
import { filesByEndpoint } from './endpoints.js';
import { readTemplates } from './templates.js';
import type { ProjectFile } from './write-new-file.js';

/** The files of a project over a ClickHouse that exists, and the endpoints that the project has already. */
export interface ExistingProject {
  readonly files: readonly ProjectFile[];
  readonly leftOut: readonly string[];
}

/** @param endpoints files of endpoints, which are left out where another file of the folder has their name */
export async function existingProject(
  folder: string,
  endpoints: readonly ProjectFile[],
  connection: ClickHouseConnection,
): Promise<ExistingProject> {
  const others = await filesByEndpoint(projectIn(folder));
  const otherOf = ({ path: file }: ProjectFile): string | undefined => {
    const other = others.get(path.parse(file).name);
    return other === file ? undefined : other;
  };
  const templates = [...(await readTemplates('project')), ...(await readTemplates('existing-clickhouse'))];
  return {
    files: [
      ...endpoints.filter((file) => otherOf(file) === undefined),
      ...templates.map((file) => (file.path === '.env.example' ? withServer(file, connection) : file)),
    ],
    leftOut: endpoints.flatMap((file) => {
      const other = otherOf(file);
      return other === undefined ? [] : [`${file.path}: ${other} has an endpoint of this name`];
    }),
  };
}

/** Names the server and the user, never the password. */
function withServer(
  { path: file, text }: ProjectFile,
  { url, username, database }: ClickHouseConnection,
): ProjectFile {
  const values: Readonly<Record<string, string>> = {
    CLICKHOUSE_URL: url,
    CLICKHOUSE_USER: username,
    CLICKHOUSE_DATABASE: database,
  };
  const replaced = text.replaceAll(/^(CLICKHOUSE_(?:URL|USER|DATABASE))=.*$/gm, (_, name: string) => {
    const value = values[name] ?? '';
    return `${name}=${/^[\w.:/-]*$/.test(value) ? value : `'${value}'`}`;
  });
  return { path: file, text: replaced };
}
