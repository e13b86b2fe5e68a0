import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { TemporaryFolder } from './temporary-folder.js';

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Writes files, by their path in a folder, and the folders that they are in. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    const absolute = path.join(folder, file);
    await mkdir(path.dirname(absolute), { recursive: true });
    await writeFile(absolute, text);
  }
}

/** A project in a temporary folder, whose files a test writes. */
export class ProjectFolder {
  readonly folder: string;

  /** @param name of its folder */
  constructor(
    protected readonly temporary: TemporaryFolder,
    name = 'project',
  ) {
    this.folder = path.join(temporary.path, name);
  }

  path(file: string): string {
    return path.join(this.folder, file);
  }

  /** Writes files, by their path in the project. */
  write(files: Files): Promise<void> {
    return writeFiles(this.folder, files);
  }

  read(file: string): Promise<string> {
    return readFile(this.path(file), 'utf8');
  }

  rename(from: string, to: string): Promise<void> {
    return rename(this.path(from), this.path(to));
  }

  /** Deletes a file or a folder. */
  delete(file: string): Promise<void> {
    return rm(this.path(file), { recursive: true });
  }

  async remove(): Promise<void> {
    await this.temporary.remove();
  }
}
