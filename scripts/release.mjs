/**
 * Makes a release of a clean checkout: the package, the image and SHA256SUMS, in `release/`. The image is for linux/amd64 and
 * linux/arm64, as an OCI archive, where the builder of `docker buildx` can export one; else it is `querygate:VERSION` in this
 * machine's Docker, for this platform only. `--no-image` makes no image.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { packageProblems } from './package-problems.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RELEASE = path.join(ROOT, 'release');
const PLATFORMS = 'linux/amd64,linux/arm64';
const PREFERRED_NODE_IMAGE = 'node:24-bookworm-slim';

const { values } = parseArgs({ options: { 'no-image': { type: 'boolean', default: false } } });

requireCleanTree();
rmSync(RELEASE, { recursive: true, force: true });
mkdirSync(RELEASE);
const version = buildPackage();
const hasImage = values['no-image'] ? false : buildImage(version);
writeChecksums();
if (values['no-image']) console.log('Built no image, as --no-image says.');
else if (!hasImage)
  fail('Built no image: Docker is not available. Start it, or run npm run release -- --no-image');

function requireCleanTree() {
  const changes = output('git', 'status', '--porcelain');
  if (changes !== '') fail(`Commit or stash all changes before a release:\n${changes}`);
}

/** @returns the version of the package. */
function buildPackage() {
  run(process.execPath, 'scripts/build.mjs', '--types');
  // npm's output is JSON only without the output of prepack.
  const [packed] = JSON.parse(
    output('npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', RELEASE),
  );
  for (const file of packed.files) console.log(`${String(file.size).padStart(9)}  ${file.path}`);
  console.log(`${String(packed.size).padStart(9)}  ${packed.filename}, ${packed.files.length} files`);
  const problems = packageProblems(packed);
  if (problems.length > 0) fail(`The package is invalid:\n${problems.join('\n')}`);
  return packed.version;
}

/**
 * @param {string} version
 * @returns false without Docker.
 */
function buildImage(version) {
  if (!succeeds('docker', 'version')) return false;
  const exports = canExport();
  const nodeImage = baseImage(exports);
  console.log(`Image: the base is ${nodeImage}.`);
  const args = ['--build-arg', `NODE_IMAGE=${nodeImage}`, '--build-arg', `VERSION=${version}`];
  args.push('--tag', `querygate:${version}`, '.');
  if (exports) {
    const archive = path.join(RELEASE, `querygate-${version}.oci.tar`);
    run(
      'docker',
      'buildx',
      'build',
      '--platform',
      PLATFORMS,
      '--output',
      `type=oci,dest=${archive}`,
      ...args,
    );
    console.log(`Image: querygate:${version} for ${PLATFORMS} is in ${path.relative(ROOT, archive)}.`);
  } else {
    run('docker', 'build', ...args);
    console.log(`Image: querygate:${version} for this platform only is in this machine's Docker.`);
  }
  return true;
}

/**
 * The preferred image, where it can be had; else the default of the Dockerfile.
 *
 * @param {boolean} exports whether the builder is one that does not see the images of this machine's Docker
 */
function baseImage(exports) {
  const isHere = !exports && succeeds('docker', 'image', 'inspect', PREFERRED_NODE_IMAGE);
  if (isHere || succeeds('docker', 'buildx', 'imagetools', 'inspect', PREFERRED_NODE_IMAGE)) {
    return PREFERRED_NODE_IMAGE;
  }
  const [, byDefault = ''] =
    /^ARG NODE_IMAGE=(\S+)/m.exec(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8')) ?? [];
  return byDefault;
}

/** Whether the builder can export several platforms: Docker's built-in one cannot. No platform has to be emulated. */
function canExport() {
  const { stdout = '' } = spawnSync('docker', ['buildx', 'inspect'], { encoding: 'utf8' });
  const driver = /^Driver:\s*(\S+)/m.exec(stdout)?.[1];
  return driver !== undefined && driver !== 'docker';
}

function writeChecksums() {
  const lines = readdirSync(RELEASE)
    .sort()
    .map((name) => {
      const file = path.join(RELEASE, name);
      console.log(`${String(statSync(file).size).padStart(9)}  release/${name}`);
      return `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${name}\n`;
    });
  writeFileSync(path.join(RELEASE, 'SHA256SUMS'), lines.join(''));
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) fail(`${command} ${args.join(' ')} failed`);
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function output(command, ...args) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) fail(`${command} ${args.join(' ')} failed`);
  return stdout.trim();
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function succeeds(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/**
 * Ends the process.
 *
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}
