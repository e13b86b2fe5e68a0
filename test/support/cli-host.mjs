/**
 * Runs commands of the build, one after another, in this process: most of the time of a short command is its start.
 * Receives `{ args, environment }` and sends what the command wrote, and its exit code.
 */
import process from 'node:process';

import { importBuild } from './import-build.mjs';

// Each command that writes a body leaves listeners on standard output, which ends with the process of one command.
process.stdout.setMaxListeners(0);

/** @typedef {{ args: readonly string[], environment: Readonly<Record<string, string>> }} Call */

const { createProgram } = await importBuild('commands/cli/program.js');
const { runProgram } = await importBuild('commands/cli/run-command.js');

let previous = Promise.resolve();
process.on('disconnect', () => process.exit());
process.on('message', (/** @type {Call} */ call) => {
  previous = previous.then(() => run(call));
});

/** @param {Call} call */
async function run({ args, environment }) {
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, environment);
  process.exitCode = undefined;
  const outputs = [collect(process.stdout), collect(process.stderr)];
  await runProgram(await createProgram(args), ['node', 'querygate', ...args]);
  const [stdout, stderr] = outputs.map((end) => end());
  // Each command listens to its output until its process ends.
  for (const event of ['error', 'finish', 'close', 'drain', 'unpipe'])
    process.stdout.removeAllListeners(event);
  process.send?.({ code: process.exitCode ?? 0, stdout, stderr });
}

/**
 * Keeps what is written to a stream.
 *
 * @param {NodeJS.WriteStream} stream
 * @returns {() => string} ends it, and returns the text
 */
function collect(stream) {
  const { write } = stream;
  /** @type {Uint8Array[]} */
  const chunks = [];
  /** @param {unknown[]} rest of which the last may be a callback */
  stream.write = (/** @type {string | Uint8Array} */ chunk, /** @type {unknown[]} */ ...rest) => {
    chunks.push(Buffer.from(/** @type {string} */ (chunk)));
    const written = rest.at(-1);
    if (typeof written === 'function') process.nextTick(written);
    return true;
  };
  return () => {
    stream.write = write;
    return Buffer.concat(chunks).toString();
  };
}
