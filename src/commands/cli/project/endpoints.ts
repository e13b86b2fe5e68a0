import path from 'node:path';

import { endpointFiles } from '../../../endpoint/endpoint-files.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import type { Project } from '../../../gateway/config/project.js';
import { usageError } from '../exit-codes.js';

/**
 * The endpoint files of a project by the name of their endpoint, which is that of the file: no file is read. Paths are as
 * messages name them: `endpoints/visits.by-day.sql`.
 */
export async function filesByEndpoint({
  endpointsFolder,
}: Pick<Project, 'endpointsFolder'>): Promise<ReadonlyMap<string, string>> {
  const files = await endpointFiles(endpointsFolder);
  const folder = path.basename(endpointsFolder);
  return new Map(files.map((file) => [path.parse(file).name, path.join(folder, file)]));
}

/** The endpoint with a name or id. @throws CommandError (invalid usage) that lists the endpoints. */
export function endpointNamed(endpoints: Endpoints, idOrName: string): Endpoint {
  const endpoint = endpoints.find(idOrName);
  if (endpoint) return endpoint;
  const known = endpoints.all().map(({ name }) => name);
  throw usageError(
    `No endpoint has the name or id ${JSON.stringify(idOrName)}. Use one of ${known.join(', ')}.`,
  );
}
