/**
 * Builds `dist/`, if its sources have changed since the last build: the gateway, the console, and the files of the page /docs.
 * Types are not checked here (`npm run typecheck` does), because a person waits for the first start. With the argument `--types`
 * `dist/` has the type declarations of the package too. A build happens in a folder of its own, which then replaces `dist/`, so
 * that a running gateway keeps its files. Only one process builds at a time.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
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
import { transformFile } from '@swc/core';

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
const hasTypes = process.argv.includes('--types');

if (!isCurrent()) await withLock(build);

function isCurrent() {
  const file = path.join(DIST, '.digest');
  if (!existsSync(file)) return false;
  const [sources, types] = readFileSync(file, 'utf8').split(' ');
  return sources === digest() && (types !== undefined || !hasTypes);
}

/** SHA-256 (hex) of the names and contents of all sources. */
function digest() {
  const hash = createHash('sha256');
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

/** @param {() => Promise<void>} task */
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
    if (!isCurrent()) await task();
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

async function build() {
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
  if (hasTypes) {
    run('tsc', '-p', 'tsconfig.build.json', '--outDir', target, '--noCheck', '--emitDeclarationOnly');
    removePrivateTypes(target);
  }
  await transpile(target);
  for (const folder of ['gateway/schema/engine', 'commands/cli/templates']) {
    cpSync(inRoot(`src/${folder}`), path.join(target, folder), { recursive: true });
  }
  chmodSync(path.join(target, COMMAND), 0o755);
  writeFileSync(path.join(target, '.digest'), hasTypes ? `${before} types` : before);
  const replaced = `${target}0`;
  if (existsSync(DIST)) renameSync(DIST, replaced);
  renameSync(target, DIST);
  rmSync(replaced, { recursive: true, force: true });
}

/**
 * Writes the JavaScript of all modules, with source maps. Comments are a tenth of the package; the types keep theirs, for editors.
 *
 * @param {string} target
 */
async function transpile(target) {
  const sources = filesIn(inRoot('src')).filter(
    (file) => /\.(?:ts|mjs)$/.test(file) && !file.startsWith(inRoot('src/commands/cli/templates/')),
  );
  await Promise.all(
    sources.map(async (file) => {
      const written = path.join(target, path.relative(inRoot('src'), file)).replace(/\.ts$/, '.js');
      const { code, map = '' } = await transformFile(file, {
        swcrc: false,
        isModule: true,
        sourceMaps: true,
        inlineSourcesContent: false,
        sourceFileName: path.relative(path.dirname(written), file),
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript' },
          transform: { verbatimModuleSyntax: true },
          minify: { compress: false, mangle: false, format: { comments: false } },
        },
      });
      mkdirSync(path.dirname(written), { recursive: true });
      writeFileSync(written, `${code}//# sourceMappingURL=${path.basename(written)}.map\n`);
      writeFileSync(`${written}.map`, map);
    }),
  );
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
