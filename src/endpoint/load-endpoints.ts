import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Endpoint } from './endpoint.js';
import { EndpointRegistry } from './registry.js';

/**
 * Loads every endpoint file of a folder.
 *
 * @throws Error naming the file and the problem, where a file cannot be loaded or its default export is not an endpoint.
 */
export async function loadEndpoints(folder: string): Promise<EndpointRegistry> {
  const files = (await readdir(folder)).filter((file) => /(?<!\.d)\.[jt]s$/.test(file)).sort();
  if (files.length === 0) throw new Error(`no endpoint files in ${folder}`);
  const endpoints: Endpoint[] = [];
  for (const file of files) endpoints.push(await loadEndpoint(folder, file));
  return new EndpointRegistry(endpoints);
}

async function loadEndpoint(folder: string, file: string): Promise<Endpoint> {
  let module: { readonly default?: Endpoint };
  try {
    module = (await import(pathToFileURL(path.join(folder, file)).href)) as typeof module;
  } catch (cause) {
    throw new Error(`endpoints/${file}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  const endpoint = module.default;
  if (!endpoint || typeof endpoint.digest !== 'string') {
    throw new Error(`endpoints/${file}: the default export is not the result of defineEndpoint`);
  }
  if (file.replace(/\.[jt]s$/, '') !== endpoint.name) {
    throw new Error(
      `endpoints/${file}: the endpoint ${endpoint.name} must be in the file ${endpoint.name}.ts`,
    );
  }
  return endpoint;
}
