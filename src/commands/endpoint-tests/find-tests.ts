import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

import { ifPresent } from '../../files/if-present.js';
import { readTestFile, titleOf, type ReadTestFile, type TestCall, type TestFile } from './test-file.js';

/** Reads the test files of a folder and its subfolders; empty where the folder does not exist. */
export async function findTests(folder: string): Promise<readonly ReadTestFile[]> {
  const entries = (await ifPresent(readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
  const files = entries
    .filter(({ name }) => /\.ya?ml$/.test(name) && !/^[._]/.test(name))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
  const found: ReadTestFile[] = [];
  for (const file of files) {
    // A link may lead to a file.
    const target = await ifPresent(stat(path.join(folder, file)));
    if (target?.isFile()) found.push(await readTestFile(folder, file));
  }
  return found;
}

/** Whether a filter chooses a call: a part of the file's name, of the endpoint's or of the call's own. */
export function isChosenBy(
  filter: string | undefined,
  test: TestFile,
): (call: TestCall, index: number) => boolean {
  if (filter === undefined || test.file.includes(filter)) return () => true;
  return (call, index) =>
    (call.endpoint ?? test.endpoint).includes(filter) || titleOf(call, index).includes(filter);
}
