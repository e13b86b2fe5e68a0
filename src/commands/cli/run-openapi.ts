import { writeFile } from 'node:fs/promises';

import { readConfig } from '../../gateway/config/config.js';
import { openApiDocument } from '../../gateway/http/describe/openapi/openapi-document.js';
import { readVersion } from '../../package-files.js';
import { loadProjectEndpoints } from '../../gateway/server/project-endpoints.js';

/** The options of `querygate openapi`, as commander parses them. */
export interface OpenApiOptions {
  readonly out?: string;
  readonly serverUrl?: string;
}

/** Writes the OpenAPI document with all endpoints. */
export async function runOpenApi({ out, serverUrl }: OpenApiOptions): Promise<void> {
  const config = readConfig(process.env);
  const document = openApiDocument({
    endpoints: (await loadProjectEndpoints(config)).all(),
    version: readVersion(),
    serverUrl: serverUrl ?? config.publicUrl,
  });
  const text = `${JSON.stringify(document, undefined, 2)}\n`;
  if (out === undefined) process.stdout.write(text);
  else await writeFile(out, text);
}
