import path from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('../../dist', import.meta.url));

/**
 * Imports a module of the build, for code that runs outside of Jest and its transformation.
 *
 * @param {string} file
 */
export async function importBuild(file) {
  try {
    return await import(path.join(BUILD, file));
  } catch (cause) {
    throw new Error('The tests start servers from dist/: run npm run build first, or npm test.', { cause });
  }
}
