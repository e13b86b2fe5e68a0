/** The largest tarball, in bytes. */
const MAX_BYTES = 1_750_000;
const REQUIRED = ['dist/index.js', 'dist/index.d.ts', 'dist/console/index.html'];
const COMMAND = 'dist/commands/cli/querygate.js';
const UNWANTED = /(?:^|\/)(?:test|bench)\/|\.test\.|\.map$/;

/**
 * What is wrong with the tarball that `npm pack --json` describes.
 *
 * @typedef {object} PackedFile
 * @property {string} path
 * @property {number} size in bytes
 * @property {number} mode
 *
 * @typedef {object} Packed
 * @property {string} filename
 * @property {number} size of the tarball, in bytes
 * @property {readonly PackedFile[]} files
 *
 * @param {Packed} packed
 * @returns {readonly string[]}
 */
export function packageProblems({ filename, size, files }) {
  const names = files.map((file) => file.path);
  const command = files.find((file) => file.path === COMMAND);
  const problems = names
    .filter((name) => UNWANTED.test(name))
    .map((name) => `${name} must not be in the package`);
  for (const name of REQUIRED) if (!names.includes(name)) problems.push(`${name} is missing`);
  if (command === undefined || (command.mode & 0o111) !== 0o111) {
    problems.push(`${COMMAND} is missing or not executable`);
  }
  if (size >= MAX_BYTES) problems.push(`${filename} has ${size} bytes; it must have less than ${MAX_BYTES}`);
  return problems;
}
