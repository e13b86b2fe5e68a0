import path from 'node:path';
import { createJiti, type Jiti, type JitiOptions } from 'jiti';
import { LRUCache } from 'lru-cache';

import { PUBLIC_API } from './public-api.js';

/**
 * Returns a function that imports a module of a folder in TypeScript or JavaScript, each time as the file is now.
 * TypeScript is translated without a type check. Wherever the files are, they get this gateway's own `querygate`.
 *
 * @returns takes the path of the file, relative to the folder; rejects with what the module threw.
 */
export function createImporter(folder: string): (file: string) => Promise<unknown> {
  const jiti = createLoader(folder);
  return async (file) => {
    const onExit = (): void => {
      process.stderr.write(
        `${path.join(path.basename(folder), file)} ended the process while it was loaded\n`,
      );
      process.exitCode = 1;
    };
    process.once('exit', onExit);
    try {
      return await withTimeout(jiti.import(path.join(folder, file)));
    } finally {
      process.off('exit', onExit);
    }
  };
}

/** A module that awaits something for ever would also stop every later reload. */
const IMPORT_MS = 30_000;

async function withTimeout<T>(imported: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`the file awaits something that did not happen within ${IMPORT_MS / 1000} s`));
    }, IMPORT_MS);
  });
  return Promise.race([imported, late]).finally(() => {
    clearTimeout(timer);
  });
}

function createLoader(folder: string): Jiti {
  const options: JitiOptions = {
    // Other users of the machine could write to a cache in the temporary folder.
    fsCache: false,
    // Node never forgets a cached module, so a file that changed could not be loaded again.
    moduleCache: false,
    interopDefault: false,
    virtualModules: { querygate: PUBLIC_API },
  };
  const from = path.join(folder, path.sep);
  const { transform } = createJiti(from, options);
  return createJiti(from, { ...options, transform: remembering(transform) });
}

/** Translations by file, so that a text that has changed takes the place of the earlier one; of all loaders of the process. */
const translated = new LRUCache<string, { readonly from: string; readonly code: string }>({ max: 2000 });

/** Translates a text only once: translating takes most of the time of a reload, and most files have not changed. */
function remembering(transform: Jiti['transform']): NonNullable<JitiOptions['transform']> {
  return (options) => {
    const file = options.filename ?? '';
    const from = JSON.stringify(options);
    const known = translated.get(file);
    if (known?.from === from) return { code: known.code };
    const code = transform(options);
    translated.set(file, { from, code });
    return { code };
  };
}
