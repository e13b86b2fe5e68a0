/**
 * Builds `dist/`, if its sources have changed since the last build: the gateway with its types, the console, and the files of
 * the page /docs. A build happens in a folder of its own, which then replaces `dist/`, so that a running gateway keeps its
 * files. Only one process builds at a time. Arguments are options of the TypeScript compiler.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = [
  'src',
  'console',
  'scripts/build.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
  'package-lock.json',
];
const COMMAND = 'commands/cli/querygate.js';

/** @param {string} name */
const inRoot = (name) => path.join(ROOT, name);
const DIST = inRoot('dist');
const LOCK = inRoot('dist.lock');
const options = process.argv.slice(2);

if (!isCurrent()) await withLock(build);

function isCurrent() {
  const file = path.join(DIST, '.digest');
  return existsSync(file) && readFileSync(file, 'utf8') === digest();
}

/** SHA-256 (hex) of the names and contents of all sources. */
function digest() {
  const hash = createHash('sha256').update(options.join(' '));
  for (const file of SOURCES.flatMap((name) => filesIn(inRoot(name)))) {
    hash.update(`\0${path.relative(ROOT, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/**
 * @param {string} name a file or folder
 * @returns {string[]}
 */
function filesIn(name) {
  if (!statSync(name).isDirectory()) return [name];
  return readdirSync(name)
    .sort()
    .flatMap((entry) => filesIn(path.join(name, entry)));
}

/** @param {() => void} task */
async function withLock(task) {
  let isWaiting = false;
  while (!tryLock()) {
    if (!isWaiting)
      console.error(`Waiting for the build of another process. If there is none, delete ${LOCK}.`);
    isWaiting = true;
    await delay(100);
  }
  try {
    // Another process may have built meanwhile.
    if (!isCurrent()) task();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

/** The lock is a file with the process id of its owner. */
function tryLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  try {
    const owner = readFileSync(LOCK, 'utf8');
    if (!isAlive(Number(owner))) removeLockOf(owner);
  } catch (error) {
    // The owner has just removed it.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return false;
}

/** @param {number} owner a process id; 0 of a process that has not written it yet */
function isAlive(owner) {
  // In a container, an earlier process may have had this process's own id.
  if (owner === process.pid) return false;
  try {
    process.kill(owner, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
  return true;
}

/**
 * Removes the lock of a process that was killed, and no lock that another process has just created.
 *
 * @param {string} owner
 */
function removeLockOf(owner) {
  const taken = `${LOCK}.${process.pid}`;
  renameSync(LOCK, taken);
  if (readFileSync(taken, 'utf8') === owner) rmSync(taken);
  else renameSync(taken, LOCK);
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}

function build() {
  for (const name of readdirSync(ROOT)) {
    if (/^dist\.\d+$/.test(name)) rmSync(inRoot(name), { recursive: true });
  }
  const target = `${DIST}.${process.pid}`;
  const before = digest();
  run(
    'vite',
    'build',
    '--config',
    'console/vite.config.ts',
    '--logLevel',
    'warn',
    '--outDir',
    path.join(target, 'console'),
  );
  const compile = ['-p', 'tsconfig.build.json', '--outDir', target];
  run('tsc', ...compile, '--emitDeclarationOnly', ...options);
  // Comments are a tenth of the package. The types keep theirs, for editors.
  run('tsc', ...compile, '--noCheck', '--declaration', 'false', '--removeComments', ...options);
  for (const folder of ['gateway/schema/engine', 'commands/cli/templates']) {
    cpSync(inRoot(`src/${folder}`), path.join(target, folder), { recursive: true });
  }
  removePrivateTypes(target);
  chmodSync(path.join(target, COMMAND), 0o755);
  writeFileSync(path.join(target, '.digest'), before);
  const replaced = `${target}0`;
  if (existsSync(DIST)) renameSync(DIST, replaced);
  renameSync(target, DIST);
  rmSync(replaced, { recursive: true, force: true });
}

/**
 * Runs a program of node_modules; ends the process where it fails.
 *
 * @param {string} name
 * @param {string[]} args
 */
function run(name, ...args) {
  const { status } = spawnSync(inRoot(`node_modules/.bin/${name}`), args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) {
    rmSync(LOCK, { force: true });
    process.exit(1);
  }
}

/**
 * Removes the type declarations that the public API does not need.
 *
 * @param {string} folder
 */
function removePrivateTypes(folder) {
  const needed = new Set();
  /** @param {string} file */
  const need = (file) => {
    if (needed.has(file)) return;
    needed.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, name = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      need(path.resolve(path.dirname(file), `${name}.d.ts`));
    }
  };
  need(path.join(folder, 'index.d.ts'));
  for (const file of filesIn(folder)) {
    if (/\.d\.m?ts$/.test(file) && !needed.has(file)) rmSync(file);
  }
}
