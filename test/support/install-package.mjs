import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Makes the tarball of the build; returns its path.
 *
 * @param {string} folder where it is written
 */
export function packPackage(folder) {
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  return path.join(folder, execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' }).trim());
}

/**
 * Does what `npm install TARBALL` does, without a network: the dependencies are links to those of this checkout, and only
 * those that the package names can be imported.
 *
 * @param {string} folder
 * @param {string} tarball
 */
export function installPackage(folder, tarball) {
  const modules = path.join(folder, 'node_modules');
  const installed = path.join(modules, 'querygate');
  mkdirSync(path.join(modules, '.bin'), { recursive: true });
  mkdirSync(installed);
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  const { bin, dependencies, optionalDependencies } = JSON.parse(
    readFileSync(path.join(installed, 'package.json'), 'utf8'),
  );
  symlinkSync(path.join('../querygate', bin.querygate), path.join(modules, '.bin/querygate'));
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) linkModule(folder, name);
}

/**
 * Links a package of this checkout, if it is there: an optional one may not be.
 *
 * @param {string} folder
 * @param {string} name
 */
export function linkModule(folder, name) {
  const source = path.join(ROOT, 'node_modules', name);
  const link = path.join(folder, 'node_modules', name);
  if (!existsSync(source)) return;
  mkdirSync(path.dirname(link), { recursive: true });
  symlinkSync(realpathSync(source), link);
}
