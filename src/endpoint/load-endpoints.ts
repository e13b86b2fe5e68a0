import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { createJiti, type Jiti } from 'jiti';

import { isEndpoint, type Endpoint } from './endpoint.js';
import { problemsIn } from './file-problems.js';
import { PUBLIC_API } from './public-api.js';
import { EndpointRegistry } from './registry.js';

/**
 * Loads every endpoint file of a folder and its subfolders. A file or folder whose name begins with `_` or `.` contains no
 * endpoints; endpoint files may import it. TypeScript is translated without a type check. Wherever the files are, they get
 * this gateway's own `querygate`.
 *
 * @throws Error that lists all problems of all files, each with its file and line.
 */
export async function loadEndpoints(folder: string): Promise<EndpointRegistry> {
  const files = await endpointFiles(folder);
  if (files.length === 0) {
    throw new Error(
      `There are no endpoint files in ${folder}. Name the folder of the project with --project or PROJECT_DIR ` +
        '(in the Docker image, mount it: -v ./my-project:/project:ro), ' +
        'or create an endpoint: docs/how-to/write-an-endpoint.md shows how.',
    );
  }
  const endpoints = new Map<string, Endpoint>();
  const problems: string[] = [];
  const jiti = createLoader(folder);
  for (const file of files) {
    const onExit = (): void => {
      process.stderr.write(
        `${path.join(path.basename(folder), file)} ended the process while it was loaded\n`,
      );
      process.exitCode = 1;
    };
    process.once('exit', onExit);
    try {
      const endpoint = endpointOf(file, await jiti.import(path.join(folder, file)));
      rejectDuplicate(endpoint, endpoints);
      endpoints.set(path.join(path.basename(folder), file), endpoint);
    } catch (error) {
      problems.push(...(await problemsIn(folder, file, error)));
    } finally {
      process.off('exit', onExit);
    }
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return new EndpointRegistry([...endpoints.values()]);
}

function createLoader(folder: string): Jiti {
  return createJiti(path.join(folder, path.sep), {
    // Other users of the machine could write to a cache in the temporary folder.
    fsCache: false,
    // Node never forgets a cached module, so a file that changed could not be loaded again.
    moduleCache: false,
    interopDefault: false,
    virtualModules: { querygate: PUBLIC_API },
  });
}

const NOT_ENDPOINTS = /^(?:[._].*|node_modules)$/;
const ENDPOINT_FILE = /(?<!\.d)\.(?:ts|mjs|js)$/;

async function realpathIfAny(folder: string): Promise<string | undefined> {
  return realpath(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
}

/**
 * Paths of the endpoint files, relative to the folder. Follows links, because a mounted folder may consist of links.
 *
 * @param visited real paths of the folders above, which a link may lead to.
 */
async function endpointFiles(
  folder: string,
  below = '',
  visited: readonly string[] = [],
): Promise<readonly string[]> {
  const here = await realpathIfAny(path.join(folder, below));
  if (here === undefined || visited.includes(here)) return [];
  const files: string[] = [];
  for (const name of (await readdir(here)).sort()) {
    if (NOT_ENDPOINTS.test(name)) continue;
    const file = path.join(below, name);
    // A link that leads nowhere is reported when the file is loaded, with the problems of all files.
    const found = await stat(path.join(folder, file)).catch(() => undefined);
    if (found?.isDirectory()) files.push(...(await endpointFiles(folder, file, [...visited, here])));
    else if (found?.isFile() !== false && ENDPOINT_FILE.test(name)) files.push(file);
  }
  return files;
}

/** @throws Error that says what the file must export. */
function endpointOf(file: string, module: unknown): Endpoint {
  const exported = isEndpoint(module) ? module : (module as { readonly default?: unknown }).default;
  if (!isEndpoint(exported)) {
    throw new Error('the default export is not the result of defineEndpoint of querygate');
  }
  const { name, ext } = path.parse(file);
  if (name !== exported.name) {
    throw new Error(`the endpoint ${exported.name} must be in a file ${exported.name}${ext}`);
  }
  return exported;
}

function rejectDuplicate({ id, name }: Endpoint, earlier: ReadonlyMap<string, Endpoint>): void {
  for (const [file, other] of earlier) {
    if (other.name === name) throw new Error(`${file} has the same name ${name}`);
    if (other.id === id) throw new Error(`${file} has the same id ${id}; create one with: uuidgen`);
  }
}
