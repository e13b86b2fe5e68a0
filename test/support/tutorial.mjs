import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { freePort } from './free-port.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const OUTPUT_TIMEOUT_MS = 60_000;

/**
 * A code block of the tutorial: commands (`sh`), commands that need Docker and do not run here (`shell`), the output of the
 * last commands (`text`), a change to a file (`diff`), or a file. The paragraph before a block names its file first.
 *
 * @typedef {object} Block
 * @property {string} language
 * @property {string} info What follows the language: `serve` of commands that run until the next of them, `dev` of what these
 *   write after the last change of a file.
 * @property {string} paragraph The last paragraph before it.
 * @property {string} text
 */

/**
 * A command, of which the output grows while it runs.
 *
 * @typedef {object} Command
 * @property {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, null>} child
 * @property {Promise<unknown[]>} closed Resolves to its exit code and signal when it has ended.
 * @property {string} output
 * @property {number} changedAt Length of the output at the last change of a file.
 */

/** @returns {Promise<Block[]>} the blocks of docs/tutorial.md */
async function readTutorial() {
  const page = await readFile(path.join(ROOT, 'docs/tutorial.md'), 'utf8');
  return [...page.matchAll(/([^`]*(?:`[^`\n]+`[^`]*)*)^```(\w+) *(.*)\n([^]*?)^```$/gm)].map(
    ([, before = '', language = '', info = '', text = '']) => ({
      language,
      info,
      paragraph: before.trim().split('\n\n').at(-1) ?? '',
      text,
    }),
  );
}

/**
 * Does what the tutorial says, as one reader in one terminal with another for the gateway, and compares the outputs with
 * those that the page shows.
 *
 * @param {object} options
 * @param {string} options.home The home folder of the reader: an empty folder.
 * @param {string} options.prologue Shell commands that run before each block.
 * @param {Readonly<Record<string, string | undefined>>} [options.environment]
 * @returns {Promise<string>} the project's folder
 * @throws Error that shows the command and its output.
 */
export async function runTutorial({ home, prologue, environment }) {
  const port = await freePort();
  const terminal = new Terminal(
    { PATH: process.env['PATH'], HOME: home, PORT: String(port), ...environment },
    prologue,
    port,
  );
  try {
    for (const block of await readTutorial()) await terminal.follow(block);
  } finally {
    await terminal.stopServing();
  }
  return terminal.cwd;
}

class Terminal {
  cwd = ROOT;

  /** @type {Command | undefined} */
  #last;
  /** @type {Command | undefined} */
  #gateway;

  /**
   * @param {Record<string, string | undefined>} environment
   * @param {string} prologue
   * @param {number} port
   */
  constructor(environment, prologue, port) {
    this.environment = environment;
    this.prologue = prologue;
    this.port = port;
  }

  /** @param {Block} block */
  async follow(block) {
    const { language, info, text } = block;
    if (language === 'text') await this.#compare(text, info === 'dev' ? this.#gateway : this.#last);
    else if (language === 'diff') await this.#change(block);
    else if (info === 'serve') await this.#serve(text);
    else if (language === 'sh') await this.#run(text);
    else if (language !== 'shell') await this.#write(block, text);
  }

  /** Stops the gateway as Ctrl-C does, which signals every process of the terminal. */
  async stopServing() {
    const { child, closed } = this.#gateway ?? {};
    this.#gateway = undefined;
    if (child?.pid === undefined || hasEnded(child)) return;
    process.kill(-child.pid, 'SIGINT');
    await closed;
  }

  /** @param {string} text */
  async #run(text) {
    const cwdFile = path.join(this.environment['HOME'] ?? '', '.cwd');
    const script = `trap 'pwd > ${cwdFile}' EXIT\nset -e\n${this.#withAddressAndKey(text)}`;
    this.#last = this.#start(script);
    const [code] = await this.#last.closed;
    if (code !== 0) throw new Error(`${text}exits with ${code}:\n${this.#last.output}`);
    this.cwd = (await readFile(cwdFile, 'utf8')).trim();
  }

  /** @param {string} script */
  async #serve(script) {
    await this.stopServing();
    this.#last = this.#gateway = this.#start(script);
    await untilWritten(this.#gateway, /^Querygate is ready on .*$/m);
  }

  /** @param {Block} block */
  async #change(block) {
    const before = await readFile(path.join(this.cwd, fileNameIn(block.paragraph)), 'utf8');
    await this.#write(block, changed(before, block.text));
  }

  /**
   * @param {Block} block
   * @param {string} text
   */
  async #write({ paragraph }, text) {
    if (this.#gateway) this.#gateway.changedAt = this.#gateway.output.length;
    const file = path.join(this.cwd, fileNameIn(paragraph));
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  /**
   * @param {string} script
   * @returns {Command}
   */
  #start(script) {
    const child = spawn('bash', ['--noprofile', '--norc', '-c', `exec 2>&1\n${this.prologue}\n${script}`], {
      cwd: this.cwd,
      env: this.environment,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const command = { child, closed: once(child, 'close'), output: '', changedAt: 0 };
    // CSV has CRLF.
    child.stdout.setEncoding('utf8').on('data', (chunk) => (command.output += chunk.replaceAll('\r', '')));
    return command;
  }

  /** @param {string} script */
  #withAddressAndKey(script) {
    const [key = ''] = /qg_[\w-]+/.exec(this.#gateway?.output ?? '') ?? [];
    return script.replaceAll('127.0.0.1:8080', `127.0.0.1:${this.port}`).replaceAll('qg_…', key);
  }

  /**
   * Lines of the page must be lines of the output. `…` is any text, and the width of a table's columns may differ. A development
   * server may say between them that the tests of other endpoints, which it ran meanwhile, pass.
   *
   * @param {string} shown
   * @param {Command | undefined} command
   */
  async #compare(shown, command) {
    if (command === undefined) throw new Error(`no command has this output:\n${shown}`);
    const pattern = shown
      .trimEnd()
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${this.port}`)
      .split('…')
      .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/ +/g, ' +'))
      .join('[^]*?')
      .replaceAll('\n', '\n(?:ok +tests/.*\n)*');
    try {
      await untilWritten(command, new RegExp(`^${pattern} *$`, 'm'));
    } catch (cause) {
      throw new Error(`the page shows:\n${shown}\nbut ${/** @type {Error} */ (cause).message}`, { cause });
    }
  }
}

/**
 * @param {Command} command
 * @param {RegExp} pattern
 * @throws Error with the output, when the command ends without it
 */
async function untilWritten(command, pattern) {
  const deadline = AbortSignal.timeout(OUTPUT_TIMEOUT_MS);
  const { child, closed } = command;
  while (!pattern.test(command.output.slice(command.changedAt))) {
    if (hasEnded(child) || deadline.aborted) throw new Error(`the output is:\n${command.output}`);
    const waiting = once(child.stdout, 'data', { signal: deadline }).catch(() => undefined);
    await Promise.race([waiting, closed]);
  }
}

/** @param {import('node:child_process').ChildProcess} child */
const hasEnded = ({ exitCode, signalCode }) => exitCode !== null || signalCode !== null;

/**
 * @param {string} before
 * @param {string} diff
 * @returns the text with the change
 */
function changed(before, diff) {
  const lines = diff.trimEnd().split('\n');
  /** @param {RegExp} kept */
  const textOf = (kept) =>
    lines
      .filter((line) => kept.test(line))
      .map((line) => line.slice(1))
      .join('\n');
  const old = textOf(/^[ -]/);
  if (before.split(old).length !== 2) throw new Error(`the file has not exactly once:\n${old}`);
  return before.replace(old, () => textOf(/^[ +]/));
}

/** @param {string} paragraph */
function fileNameIn(paragraph) {
  const [, name] = /`([\w./-]+\.\w+)`/.exec(paragraph) ?? [];
  if (name === undefined) throw new Error(`the paragraph before a block names no file: ${paragraph}`);
  return name;
}
