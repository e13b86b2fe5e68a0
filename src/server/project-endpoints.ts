import type { Config } from '../config/config.js';
import { readEndpointSettingsFile } from '../config/endpoint-settings-file.js';
import { loadEndpoints } from '../endpoint/load-endpoints.js';
import { EndpointRegistry } from '../endpoint/registry.js';
import { REQUESTS_ENDPOINT } from '../observability/requests-endpoint.js';

/**
 * Loads the project's endpoints and the gateway's own, with the settings of this deployment.
 *
 * @throws Error that lists every invalid endpoint file, or names the invalid settings.
 */
export async function loadProjectEndpoints({
  project,
  endpointSettingsFile: file,
}: Pick<Config, 'project' | 'endpointSettingsFile'>): Promise<EndpointRegistry> {
  const loaded = await loadEndpoints(project.endpointsFolder);
  const endpoints = new EndpointRegistry([...loaded.all(), REQUESTS_ENDPOINT]);
  if (file === undefined) return endpoints;
  const overrides = await readEndpointSettingsFile(file);
  try {
    return endpoints.withOverrides(overrides);
  } catch (cause) {
    throw new Error(`ENDPOINT_SETTINGS_FILE ${file}: ${(cause as Error).message}`, { cause });
  }
}
