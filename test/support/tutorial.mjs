import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { freePort } from './free-port.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const START_TIMEOUT_MS = 90_000;

/**
 * A code block of the tutorial: commands (`sh`), the output of the last commands (`text`), a change to a file (`diff`), or a
 * file, which the paragraph before it names first.
 *
 * @typedef {object} Block
 * @property {string} language
 * @property {string} info What follows the language: `serve`, or `exits CODE`.
 * @property {string} paragraph The last paragraph before it.
 * @property {string} text
 */

/**
 * A command, of which the output grows while it runs.
 *
 * @typedef {object} Command
 * @property {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, null>} child
 * @property {string} output
 * @property {number} startedAt
 */

/** @returns {Promise<Block[][]>} the blocks of each section of docs/tutorial.md */
export async function readTutorial() {
  const page = await readFile(path.join(ROOT, 'docs/tutorial.md'), 'utf8');
  return page.split(/^## /m).map((section) =>
    [...section.matchAll(/([^`]*(?:`[^`\n]+`[^`]*)*)^```(\w+) *(.*)\n([^]*?)^```$/gm)].map(
      ([, before = '', language = '', info = '', text = '']) => ({
        language,
        info,
        paragraph: before.trim().split('\n\n').at(-1) ?? '',
        text,
      }),
    ),
  );
}

/**
 * Writes the files of the tutorial, as they are before the reader changes them.
 *
 * @param {string} folder
 */
export async function writeTutorialFiles(folder) {
  for (const block of (await readTutorial()).flat()) if (isFile(block)) await writeBlock(folder, block);
}

/**
 * Does what the tutorial says, as one reader in one terminal with another for the gateway, and compares the outputs with
 * those that the page shows.
 *
 * @param {object} options
 * @param {string} options.home The home folder of the reader: an empty folder.
 * @param {string} options.prologue Shell commands that run before each block.
 * @param {Readonly<Record<string, string | undefined>>} [options.environment]
 * @returns {Promise<{ folder: string, firstResponseMs: number }>} the project's folder, and the time from the first
 *   `querygate serve` to the first response
 * @throws Error that shows the command and its output.
 */
export async function runTutorial({ home, prologue, environment }) {
  const port = await freePort();
  const terminal = new Terminal(
    { PATH: process.env['PATH'], HOME: home, PORT: String(port), ...environment },
    prologue,
    port,
  );
  for (const blocks of await readTutorial()) {
    try {
      for (const block of blocks) await terminal.follow(block);
    } finally {
      await terminal.stopServing();
    }
  }
  if (terminal.firstResponseMs === undefined) throw new Error('no command called the gateway');
  return { folder: terminal.cwd, firstResponseMs: terminal.firstResponseMs };
}

class Terminal {
  cwd = ROOT;
  /** @type {number | undefined} */
  firstResponseMs;

  /** @type {Command | undefined} */
  #last;
  /** @type {Command | undefined} */
  #gateway;
  /** @type {Block[]} */
  #files = [];
  /** @type {(() => Promise<void>) | undefined} */
  #undo;

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
    if (block.language === 'text') await this.#compare(block.text);
    else if (block.language === 'diff') await this.#change(block.text);
    else if (block.info === 'serve') await this.#serve(block.text);
    else if (block.language === 'sh') await this.#run(block);
    else {
      await writeBlock(this.cwd, block);
      this.#files.push(block);
    }
  }

  /** Stops the gateway as Ctrl-C does, which signals every process of the terminal. */
  async stopServing() {
    const { child } = this.#gateway ?? {};
    this.#gateway = undefined;
    if (child?.pid === undefined || hasEnded(child)) return;
    const closed = once(child, 'close');
    process.kill(-child.pid, 'SIGINT');
    await closed;
  }

  /** @param {Block} block */
  async #run({ info, text }) {
    const cwdFile = path.join(this.environment['HOME'] ?? '', '.cwd');
    const script = `trap 'pwd > ${cwdFile}' EXIT\nset -e\n${this.#withAddressAndKey(text)}`;
    this.#last = this.#start(script);
    const [code] = await once(this.#last.child, 'close');
    const expected = Number(/^exits (\d+)$/.exec(info)?.[1] ?? 0);
    if (code !== expected) throw new Error(`${text}exits with ${code}:\n${this.#last.output}`);
    this.cwd = (await readFile(cwdFile, 'utf8')).trim();
    if (this.#gateway) this.firstResponseMs ??= performance.now() - this.#gateway.startedAt;
    if (expected !== 0) await this.#undo?.();
  }

  /** @param {string} script */
  async #serve(script) {
    this.#last = this.#gateway = this.#start(script);
    await untilWritten(this.#gateway, /"message":"ready"/);
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
    const command = { child, output: '', startedAt: performance.now() };
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
   * Lines of the page must be lines of the output. `…` is any text, and the width of a table's columns may differ.
   *
   * @param {string} shown
   */
  async #compare(shown) {
    if (this.#last === undefined) throw new Error(`no command has this output:\n${shown}`);
    const pattern = shown
      .trimEnd()
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${this.port}`)
      .split('…')
      .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/ +/g, ' +'))
      .join('[^]*?');
    try {
      await untilWritten(this.#last, new RegExp(`^${pattern} *$`, 'm'));
    } catch (cause) {
      throw new Error(`the page shows:\n${shown}\nbut ${/** @type {Error} */ (cause).message}`, { cause });
    }
  }

  /**
   * Changes the one file that has the old lines. A change that makes the next command fail is undone after it.
   *
   * @param {string} diff
   */
  async #change(diff) {
    const lines = diff.trimEnd().split('\n');
    /** @param {RegExp} kept */
    const textOf = (kept) =>
      lines
        .filter((line) => kept.test(line))
        .map((line) => line.slice(1))
        .join('\n');
    const before = textOf(/^[ -]/);
    for (const { paragraph } of this.#files) {
      const file = path.join(this.cwd, fileNameIn(paragraph));
      const text = await readFile(file, 'utf8');
      if (text.split(before).length !== 2) continue;
      await writeFile(
        file,
        text.replace(before, () => textOf(/^[ +]/)),
      );
      this.#undo = () => writeFile(file, text);
      return;
    }
    throw new Error(`no file has these lines once:\n${before}`);
  }
}

/**
 * @param {Command} command
 * @param {RegExp} pattern
 * @throws Error with the output, when the command ends without it
 */
async function untilWritten(command, pattern) {
  const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
  while (!pattern.test(command.output)) {
    const { child } = command;
    if (hasEnded(child)) throw new Error(`the output is:\n${command.output}`);
    await Promise.race([once(child.stdout, 'data', { signal: deadline }), once(child, 'close')]);
  }
}

/** @param {import('node:child_process').ChildProcess} child */
const hasEnded = ({ exitCode, signalCode }) => exitCode !== null || signalCode !== null;

/** @param {Block} block */
const isFile = ({ language }) => !['sh', 'text', 'diff'].includes(language);

/**
 * @param {string} folder
 * @param {Block} block
 */
async function writeBlock(folder, { paragraph, text }) {
  const file = path.join(folder, fileNameIn(paragraph));
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** @param {string} paragraph */
function fileNameIn(paragraph) {
  const [, name] = /`([\w./-]+\.\w+)`/.exec(paragraph) ?? [];
  if (name === undefined) throw new Error(`the paragraph before a block names no file: ${paragraph}`);
  return name;
}
