import { EndpointLoader } from '../../src/endpoint/endpoint-loader.js';
import { EndpointRegistry } from '../../src/endpoint/registry.js';
import { ProblemsOfFiles } from '../../src/gateway/server/project-endpoints.js';

/** Loads the endpoint files of a folder, as a gateway does. @throws ProblemsOfFiles where one is invalid */
export async function loadEndpoints(folder: string): Promise<EndpointRegistry> {
  const { endpoints, problems } = await new EndpointLoader(folder).load();
  if (problems.length > 0) throw new ProblemsOfFiles(problems);
  return new EndpointRegistry([...endpoints.values()]);
}
