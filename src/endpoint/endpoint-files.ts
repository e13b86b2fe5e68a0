import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

import { ifPresent } from '../files/if-present.js';
import { isInProject } from './endpoint-source.js';

const NOT_ENDPOINTS = /^(?:[._].*|node_modules)$/;
const ENDPOINT_FILE = /(?<!\.d)\.(?:ts|mjs|js|sql)$/;

/** Whether a file of this name, among the endpoint files, contains an endpoint. */
export const isEndpointFile = (name: string): boolean =>
  !NOT_ENDPOINTS.test(name) && ENDPOINT_FILE.test(name);

/**
 * Paths of the endpoint files, relative to the folder. Follows links, because a mounted folder may consist of links.
 *
 * @param visited real paths of the folders above, which a link may lead to.
 */
export async function endpointFiles(
  folder: string,
  below = '',
  visited: readonly string[] = [],
): Promise<readonly string[]> {
  const here = await ifPresent(realpath(path.join(folder, below)));
  if (here === undefined || visited.includes(here)) return [];
  // The loader reports this folder, together with the problems of all files.
  if (below !== '' && !(await isInProject(folder, below))) return [below];
  const files: string[] = [];
  const entries = await readdir(here, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!NOT_ENDPOINTS.test(entry.name))
      files.push(...(await filesAt(folder, path.join(below, entry.name), entry, [...visited, here])));
  }
  return files;
}

async function filesAt(
  folder: string,
  file: string,
  entry: Dirent,
  visited: readonly string[],
): Promise<readonly string[]> {
  const found = await kindOf(entry, path.join(folder, file));
  if (found?.isDirectory()) return endpointFiles(folder, file, visited);
  return found?.isFile() !== false && isEndpointFile(entry.name) ? [file] : [];
}

/** Follows a link. One that leads nowhere is reported when it is loaded, with the problems of all files. */
async function kindOf(
  entry: Dirent,
  absolute: string,
): Promise<Pick<Dirent, 'isFile' | 'isDirectory'> | undefined> {
  if (entry.isFile() || entry.isDirectory()) return entry;
  return stat(absolute).catch(() => undefined);
}
