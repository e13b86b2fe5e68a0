import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { readConfig } from '../../src/gateway/config/config.js';
import { openGateway, type Gateway } from '../../src/gateway/server/compose.js';
import { adminConnection } from './clickhouse.js';
import { variablesOf } from './demo-database.js';
import { RecordingLogger } from './recording-logger.js';
import { withTemporaryFolder } from './temporary-folder.js';

/** Every right. */
export const KEY = 'a key for reloads';

/** An endpoint whose row names the version of its definition. */
export const fileOf = (name: string, id: number, version: string): string => `/*
name: ${name}
id: 61f0c404-5cb3-11e7-907b-a6006ad3db${String(id).padStart(2, '0')}
summary: For a test of reloads.
parameters: { city: { kind: string, description: A city. } }
columns: { city: Nullable(String), version: String }
example: { city: Rome }
*/
SELECT @city AS city, '${version}' AS version
`;

/** A response of {@link call}. */
export interface Called {
  readonly status: number;
  readonly cache: string | null;
  readonly version: unknown;
}

/** Calls an endpoint of a {@link ReloadedProject}. */
export async function call(url: string, name: string): Promise<Called> {
  const response = await fetch(`${url}/api/endpoints/query/${name}?city=Rome`, {
    headers: { 'X-API-KEY': KEY },
  });
  const { result } = (await response.json()) as { readonly result?: readonly { readonly version: string }[] };
  return { status: response.status, cache: response.headers.get('x-cache'), version: result?.[0]?.version };
}

/** A project in a temporary folder, and gateways that serve it. */
export class ReloadedProject {
  readonly gateways: Gateway[] = [];
  readonly logger = new RecordingLogger();

  constructor(readonly folder: string) {}

  static async during(use: (project: ReloadedProject) => Promise<void>): Promise<void> {
    await withTemporaryFolder(async (folder) => {
      const project = new ReloadedProject(folder);
      await mkdir(path.join(folder, 'endpoints'));
      await project.write('one', 1, 'first');
      await project.write('two', 2, 'first');
      try {
        await use(project);
      } finally {
        for (const gateway of project.gateways) await gateway.close(0);
      }
    });
  }

  write(name: string, id: number, version: string): Promise<void> {
    return writeFile(this.fileOf(name), fileOf(name, id, version));
  }

  fileOf(name: string): string {
    return path.join(this.folder, 'endpoints', `${name}.sql`);
  }

  variables(): Readonly<Record<string, string>> {
    return { PROJECT_DIR: this.folder, ...variablesOf(adminConnection('default')), API_KEY: KEY };
  }

  async open(variables: Readonly<Record<string, string>> = {}): Promise<Gateway> {
    const config = readConfig({ ...this.variables(), PORT: '0', ADMIN_PORT: '0', ...variables });
    const gateway = await openGateway(config, { logger: this.logger, clock: () => new Date() });
    this.gateways.push(gateway);
    return gateway;
  }
}
