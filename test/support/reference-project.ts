import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { projectIn } from '../../src/config/project.js';
import { loadProjectEndpoints } from '../../src/server/project-endpoints.js';
import type { EndpointRegistry } from '../../src/endpoint/registry.js';

/** The project at the top level of this repository. */
export const REFERENCE = projectIn(fileURLToPath(new URL('../..', import.meta.url)));

/** The users file of its read-only ClickHouse user. */
export const READER_USER_FILE = `${REFERENCE.schemaFolder}/users.d/querygate.xml`;

/** Loads its endpoints and the gateway's own, which a gateway serves that writes the request log. */
export function referenceEndpoints(): Promise<EndpointRegistry> {
  return loadProjectEndpoints({
    project: REFERENCE,
    endpointSettingsFile: undefined,
    clickhouse: { kind: 'embedded', database: 'logs', demoData: false },
    requestLog: true,
  });
}

/**
 * A folder with the same project, for processes: without the `.env` that a developer may have at the top level, so that the
 * outcome of a test does not depend on it.
 */
export const REFERENCE_WITHOUT_ENV = linkedProject(
  path.join(REFERENCE.folder, 'node_modules/.cache/reference-project'),
);

function linkedProject(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const part of [REFERENCE.endpointsFolder, REFERENCE.schemaFolder, REFERENCE.demoFolder]) {
    try {
      symlinkSync(part, path.join(folder, path.basename(part)));
    } catch (error) {
      // Another test made it.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return folder;
}
