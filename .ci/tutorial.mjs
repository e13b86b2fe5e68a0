/**
 * Follows docs/tutorial.md with the package as npm installs it, in a folder outside of the repository. Fails where the first
 * response comes too late after `querygate init`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

import { runTutorial } from '../test/support/tutorial.mjs';

const FIRST_RESPONSE_MS = 15_000;
// The page begins in a clone without node_modules.
const prologue = 'npm() { [ "$1" = ci ] || command npm "$@"; }';

const home = await mkdtemp(path.join(tmpdir(), 'querygate-tutorial-'));
try {
  const { firstResponseMs } = await runTutorial({ home, prologue, environment: npmSettings() });
  const seconds = (firstResponseMs / 1000).toFixed(1);
  console.log(`first response ${seconds} s after npx querygate init (limit: ${FIRST_RESPONSE_MS / 1000} s)`);
  if (firstResponseMs > FIRST_RESPONSE_MS) process.exitCode = 1;
} finally {
  await rm(home, { recursive: true, force: true });
}

/** The registry and the cache of this machine, in spite of the new home folder. */
function npmSettings() {
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  const settings = Object.entries(process.env).filter(([name]) =>
    /^(?:npm_config|https?_proxy|no_proxy|node_extra)/i.test(name),
  );
  return {
    ...Object.fromEntries(settings),
    npm_config_cache: cache,
    npm_config_userconfig: path.join(homedir(), '.npmrc'),
    npm_config_audit: 'false',
    // Its warnings would be in the output of each npx.
    npm_config_loglevel: 'error',
  };
}
