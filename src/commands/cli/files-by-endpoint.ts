import path from 'node:path';

import type { Project } from '../../gateway/config/project.js';
import { endpointFiles } from '../../endpoint/endpoint-files.js';

/**
 * The endpoint files of a project by the name of their endpoint, which is that of the file: no file is read. Paths are as
 * messages name them: `endpoints/visits.by-day.sql`.
 */
export async function projectFiles({
  endpointsFolder,
}: Pick<Project, 'endpointsFolder'>): Promise<ReadonlyMap<string, string>> {
  const files = await endpointFiles(endpointsFolder);
  return new Map(
    files.map((file) => [path.parse(file).name, path.join(path.basename(endpointsFolder), file)]),
  );
}
