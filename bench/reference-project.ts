import { readFileSync } from 'node:fs';

import { grantsInUsersFile } from '../src/commands/grants/reader-user-file.js';
import { projectIn } from '../src/gateway/config/project.js';
import type { EndpointRegistry } from '../src/endpoint/registry.js';
import { PACKAGE_FOLDER } from '../src/package-files.js';
import { loadProjectEndpoints } from '../src/gateway/server/project-endpoints.js';

/** The project at the top level of this repository. */
export const REFERENCE = projectIn(PACKAGE_FOLDER);

/** The rights of its read-only ClickHouse user. */
export const REFERENCE_GRANTS = grantsInUsersFile(
  readFileSync(`${REFERENCE.schemaFolder}/users.d/querygate.xml`, 'utf8'),
);

/** Loads its endpoints and the gateway's own, which a gateway serves that writes the request log. */
export function referenceEndpoints(): Promise<EndpointRegistry> {
  return loadProjectEndpoints({
    project: REFERENCE,
    endpointSettingsFile: undefined,
    clickhouse: { kind: 'embedded', database: 'logs', demoData: false },
    requestLog: true,
  });
}
