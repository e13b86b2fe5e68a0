import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';

import { REFERENCE } from '../../bench/reference-project.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { EndpointRegistry } from '../../src/endpoint/registry.js';
import { OWN_ENDPOINTS } from '../../src/gateway/observability/own-endpoints.js';

export { REFERENCE };

/**
 * Its endpoints and the gateway's own, as a gateway loads them. Jest imports the files, and retains their translation; the
 * gateway's loader would translate them again for each test file, which takes half a second.
 */
export async function referenceEndpoints(): Promise<EndpointRegistry> {
  const files = readdirSync(REFERENCE.endpointsFolder).filter((file) => !file.startsWith('_'));
  const endpoints: Endpoint[] = [];
  // One after another: Jest fails where modules that are imported together import the same one.
  for (const file of files)
    endpoints.push(
      ((await import(path.join(REFERENCE.endpointsFolder, file))) as { default: Endpoint }).default,
    );
  return new EndpointRegistry([...endpoints, ...OWN_ENDPOINTS]);
}

/** The users file of the read-only ClickHouse user of the project at the top level of this repository. */
export const READER_USER_FILE = `${REFERENCE.schemaFolder}/users.d/querygate.xml`;

/**
 * A folder with the same project, for processes: without the `.env` that a developer may have at the top level, so that the
 * outcome of a test does not depend on it.
 */
export const REFERENCE_WITHOUT_ENV = linkedProject(
  path.join(REFERENCE.folder, 'node_modules/.cache/reference-project'),
);

function linkedProject(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const { endpointsFolder, schemaFolder, demoFolder, testsFolder } = REFERENCE;
  for (const part of [endpointsFolder, schemaFolder, demoFolder, testsFolder]) {
    try {
      symlinkSync(part, path.join(folder, path.basename(part)));
    } catch (error) {
      // Another test made it.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return folder;
}
