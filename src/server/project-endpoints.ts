import { writesRequestLog, type Config } from '../config/config.js';
import { readEndpointSettingsFile } from '../config/endpoint-settings-file.js';
import { loadEndpoints, type SqlReader } from '../endpoint/load-endpoints.js';
import { EndpointRegistry } from '../endpoint/registry.js';
import { REQUESTS_ENDPOINT } from '../observability/requests-endpoint.js';

/** What decides which endpoints a gateway serves, and how. */
export type EndpointsConfig = Pick<Config, 'project' | 'endpointSettingsFile' | 'clickhouse' | 'requestLog'>;

/**
 * Loads the endpoints that a gateway with this configuration serves, with the settings of this deployment: the project's, and
 * the gateway's own, which reads the request log, where the log is written. Elsewhere its table need not exist.
 *
 * @param sqlReader as {@link loadEndpoints} takes it.
 * @throws Error that lists every invalid endpoint file, or names the invalid settings.
 */
export async function loadProjectEndpoints(
  config: EndpointsConfig,
  sqlReader?: SqlReader,
): Promise<EndpointRegistry> {
  const loaded = await loadEndpoints(config.project.endpointsFolder, sqlReader);
  if (loaded.find(REQUESTS_ENDPOINT.name)) {
    throw new Error(
      `${REQUESTS_ENDPOINT.name} is an endpoint of the gateway itself: give the project’s another name.`,
    );
  }
  const endpoints = await withOverrides(new EndpointRegistry([...loaded.all(), REQUESTS_ENDPOINT]), config);
  return writesRequestLog(config) ? endpoints : endpoints.without(REQUESTS_ENDPOINT.name);
}

async function withOverrides(
  endpoints: EndpointRegistry,
  { endpointSettingsFile: file }: EndpointsConfig,
): Promise<EndpointRegistry> {
  if (file === undefined) return endpoints;
  const overrides = await readEndpointSettingsFile(file);
  try {
    return endpoints.withOverrides(overrides);
  } catch (cause) {
    throw new Error(`ENDPOINT_SETTINGS_FILE ${file}: ${(cause as Error).message}`, { cause });
  }
}
