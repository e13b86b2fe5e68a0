import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { readConfig } from '../../gateway/config/config.js';
import type { EndpointRegistry } from '../../endpoint/registry.js';
import { loadProjectEndpoints } from '../../gateway/server/project-endpoints.js';
import { CommandError, EXIT } from '../cli/exit-codes.js';

const run = promisify(execFile);

/**
 * Loads the endpoints of another version of the project.
 *
 * @param against folder of a project, or name of a commit of the project's repository.
 * @throws CommandError where it is neither, or its endpoints cannot be loaded
 */
export async function loadOtherVersion(
  projectFolder: string,
  against: string,
  environment: NodeJS.ProcessEnv,
): Promise<EndpointRegistry> {
  if (statSync(against, { throwIfNoEntry: false })?.isDirectory()) return load(against, against, environment);
  const commit = await git(
    projectFolder,
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${against}^{commit}`],
    environment,
  ).catch((cause: unknown) => {
    throw new CommandError(
      `--against ${against} is neither a folder nor a commit of the git repository of ${projectFolder}.`,
      EXIT.failed,
      { cause },
    );
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-replay-'));
  try {
    await checkOut(projectFolder, commit, { folder, environment });
    // The packages that endpoint files import are in no commit.
    const packages = path.join(folder, 'node_modules');
    if (!existsSync(packages)) await symlink(path.join(projectFolder, 'node_modules'), packages);
    return await load(folder, against, environment);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes the project's files of a commit into a folder. Does not change the repository and its index. */
async function checkOut(
  projectFolder: string,
  commit: string,
  { folder, environment }: { readonly folder: string; readonly environment: NodeJS.ProcessEnv },
): Promise<void> {
  const index = { ...environment, GIT_INDEX_FILE: path.join(folder, '.git-index') };
  const prefix = await git(projectFolder, ['rev-parse', '--show-prefix'], environment);
  await git(projectFolder, ['read-tree', `${commit}:${prefix}`], index).catch((cause: unknown) => {
    throw new CommandError(
      `The commit ${commit.slice(0, 12)} does not have the folder ${prefix} of the project.`,
      EXIT.failed,
      { cause },
    );
  });
  // Runs in the root of the repository, because the paths of the index are relative to the project's folder.
  const root = await git(projectFolder, ['rev-parse', '--show-toplevel'], environment);
  await git(root, ['checkout-index', '--all', `--prefix=${folder}/`], index);
}

async function git(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  // A hook of git sets variables that would name another repository.
  const own = Object.entries(env).filter(([name]) => !/^GIT_(?:DIR|WORK_TREE|PREFIX)$/.test(name));
  const { stdout } = await run('git', ['-C', folder, ...args], { env: Object.fromEntries(own) });
  return stdout.trim();
}

async function load(
  folder: string,
  against: string,
  environment: NodeJS.ProcessEnv,
): Promise<EndpointRegistry> {
  try {
    return await loadProjectEndpoints(readConfig({ ...environment, PROJECT_DIR: folder }));
  } catch (cause) {
    const { message } = cause as Error;
    throw new CommandError(`The endpoints of ${against} do not load: ${message}`, EXIT.failed, { cause });
  }
}
