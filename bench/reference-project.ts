import { projectIn } from '../src/config/project.js';
import type { EndpointRegistry } from '../src/endpoint/registry.js';
import { PACKAGE_FOLDER } from '../src/package-files.js';
import { loadProjectEndpoints } from '../src/server/project-endpoints.js';

/** The project at the top level of this repository. */
export const REFERENCE = projectIn(PACKAGE_FOLDER);

/** The users file of its read-only ClickHouse user. */
export const READER_USER_FILE = `${REFERENCE.schemaFolder}/users.d/querygate.xml`;

/** Loads its endpoints and the gateway's own. */
export function referenceEndpoints(): Promise<EndpointRegistry> {
  return loadProjectEndpoints({ project: REFERENCE, endpointSettingsFile: undefined });
}
