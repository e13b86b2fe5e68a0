import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { withoutComments } from './statement-text.js';

/** One numbered SQL file of the schema. */
export interface Migration {
  /** File name without its extension, such as `0001_edge_logs`. */
  readonly name: string;
  readonly statements: readonly string[];
  /** SHA-256 (hex) of the file's text. */
  readonly checksum: string;
}

/**
 * Reads the numbered files of a folder, in order. A semicolon at the end of a line ends a statement.
 *
 * @throws Error when two files have the same number.
 */
export async function readMigrations(folder: string): Promise<readonly Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}_\w+\.sql$/.test(file)).sort();
  files.forEach((file, index) => {
    const previous = files[index - 1];
    if (previous?.slice(0, 4) === file.slice(0, 4)) {
      throw new Error(`${previous} and ${file} have the same number`);
    }
  });
  return Promise.all(files.map((file) => readMigration(folder, file)));
}

async function readMigration(folder: string, file: string): Promise<Migration> {
  const text = await readFile(path.join(folder, file), 'utf8');
  return {
    name: path.basename(file, '.sql'),
    statements: text
      .split(/;[ \t]*(?:\r?\n|$)/)
      .map((statement) => statement.trim())
      .filter((statement) => withoutComments(statement) !== ''),
    checksum: createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex'),
  };
}
