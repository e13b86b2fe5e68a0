import { readEndpointSettingsFile } from '../config/endpoint-settings-file.js';
import { loadEndpoints } from '../endpoint/load-endpoints.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import { ENDPOINTS_FOLDER } from '../project-files.js';

/** The endpoints with the overrides in `ENDPOINT_SETTINGS_FILE`, where it is set. */
export async function deployedEndpoints(): Promise<EndpointRegistry> {
  const endpoints = await loadEndpoints(ENDPOINTS_FOLDER);
  const settings = process.env['ENDPOINT_SETTINGS_FILE'] ?? '';
  return settings === '' ? endpoints : endpoints.withOverrides(await readEndpointSettingsFile(settings));
}
