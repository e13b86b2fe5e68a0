import { open, realpath } from 'node:fs/promises';
import path from 'node:path';

/** Bytes of an endpoint file in SQL. */
const MAX_BYTES = 256 * 1024;

/**
 * Whether the real path of a file or folder is in the project, after all links.
 *
 * @param folder the folder of the endpoint files. It may be a link, and its target is in the project too.
 */
export async function isInProject(folder: string, file: string): Promise<boolean> {
  const real = await realpath(path.join(folder, file));
  const roots = [await realpath(path.dirname(folder)), await realpath(folder)];
  return roots.some((root) => {
    const below = path.relative(root, real);
    return below !== '..' && !below.startsWith(`..${path.sep}`);
  });
}

/** @throws Error for a file outside the project, whose text must not appear in an excerpt, and each error of the file system. */
export async function requireInProject(folder: string, file: string): Promise<void> {
  if (await isInProject(folder, file)) return;
  throw new Error('this is a link that leads out of the project: put what it leads to into the project');
}

/** Reads a file in SQL. @throws Error as {@link requireInProject}, and where the file is too large */
export async function readSource(folder: string, file: string): Promise<Buffer> {
  await requireInProject(folder, file);
  const handle = await open(path.join(folder, file));
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES)
      throw new Error(`the file has ${size} bytes; an endpoint in SQL may have ${MAX_BYTES}: shorten it`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
