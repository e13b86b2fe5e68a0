import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface TemporaryFolder {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** A folder for all tests of a file. */
export async function makeTemporaryFolder(): Promise<TemporaryFolder> {
  const made = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
  return { path: made, remove: () => rm(made, { recursive: true, force: true, maxRetries: 5 }) };
}
