import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of a project and the paths in it, all absolute. */
export interface Project {
  readonly folder: string;
  /** The endpoint files. */
  readonly endpointsFolder: string;
  /** The numbered schema files. */
  readonly schemaFolder: string;
  /** The test files of the endpoints. */
  readonly testsFolder: string;
  /** The SQL files of the demonstration data. */
  readonly demoFolder: string;
  /** The settings file, where `ENDPOINT_SETTINGS_FILE` names no other file. */
  readonly settingsFile: string;
}

/** The project in a folder. Its files and subfolders need not exist. */
export function projectIn(folder: string): Project {
  const inFolder = (part: string): string => path.join(path.resolve(folder), part);
  return {
    folder: path.resolve(folder),
    endpointsFolder: inFolder('endpoints'),
    schemaFolder: inFolder('clickhouse-schema'),
    testsFolder: inFolder('tests'),
    demoFolder: inFolder('demo'),
    settingsFile: inFolder('endpoint-settings.json'),
  };
}

/** The folder of the project: `PROJECT_DIR`, else the current folder. */
export function projectFolder({ PROJECT_DIR: folder = '' }: Environment): string {
  return path.resolve(folder);
}

/**
 * The environment, completed by the variables of the project's `.env` that it does not define. A variable that is defined as empty
 * hides that of the file. `PROJECT_DIR` never comes from the file, because it names the folder of that file.
 *
 * @throws Error where the project's folder does not exist, its `.env` cannot be read, or the file has an invalid line.
 */
export function withEnvFile(environment: Environment): Environment {
  const own = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  const folder = projectFolder(environment);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Error(
      `The folder of the project, ${folder}, is not a folder. Name another with --project or PROJECT_DIR.`,
    );
  }
  const file = path.join(folder, '.env');
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\u{FEFF}/u, '');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { ...own, PROJECT_DIR: folder };
    throw new Error(`${file} can’t be read: ${(cause as Error).message}`, { cause });
  }
  rejectInvalidLines(file, text);
  return { ...parseEnv(text), ...own, PROJECT_DIR: folder };
}

/** A comment, blank line or variable of the file; a value in quotes may have several lines. */
const ENV_FILE_PART =
  /[^\S\n]*(?:#.*|(?:export[^\S\n]+)?[A-Za-z_]\w*[^\S\n]*=[^\S\n]*(?:"[^"]*"|'[^']*'|`[^`]*`)?.*)?(?:\n|$)/y;

/** Rejects invalid lines, because Node's parser silently joins such a line with the name of the next variable, and loses both. */
function rejectInvalidLines(file: string, text: string): void {
  const lines = text.replaceAll('\r\n', '\n');
  ENV_FILE_PART.lastIndex = 0;
  while (ENV_FILE_PART.lastIndex < lines.length) {
    const at = ENV_FILE_PART.lastIndex;
    if (ENV_FILE_PART.test(lines)) continue;
    const line = lines.slice(0, at).split('\n').length;
    throw new Error(`${file}:${line}: a line must be NAME=value, or a comment that begins with #`);
  }
}
