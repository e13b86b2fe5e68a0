import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { projectIn } from '../../config/project.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { EndpointLoader } from '../../endpoint/endpoint-loader.js';
import { REQUESTS_ENDPOINT } from '../../observability/requests-endpoint.js';
import { SqlFiles } from '../../check/sql-file.js';
import { projectFiles } from '../files-by-endpoint.js';

/** What is completed from the files of a project. */
export interface ProjectValues {
  readonly endpointNames: () => Promise<readonly string[]>;
  /** @returns undefined where there is no such endpoint. @throws Error where its file is invalid */
  readonly endpoint: (name: string) => Promise<Endpoint | undefined>;
}

/** Reads the project in a folder. Names are those of files, so that no file is read for them. */
export function valuesOfProject(folder: string): ProjectValues {
  const project = projectIn(folder);
  const { endpointsFolder } = project;
  return {
    endpointNames: async () => [...(await projectFiles(project)).keys(), REQUESTS_ENDPOINT.name],
    endpoint: async (name) => {
      if (name === REQUESTS_ENDPOINT.name) return REQUESTS_ENDPOINT;
      const file = (await projectFiles(project)).get(name);
      if (file === undefined) return undefined;
      // Other files may be invalid while somebody edits them.
      if (path.extname(file) !== '.sql')
        return (await new EndpointLoader(endpointsFolder).load()).endpoints.get(file);
      // One file in SQL is read alone, which takes a fraction of the time that loading TypeScript takes.
      const absolute = path.join(path.dirname(endpointsFolder), file);
      return new SqlFiles(endpointsFolder).read(await readFile(absolute, 'utf8'), absolute);
    },
  };
}
