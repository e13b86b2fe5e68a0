import path from 'node:path';
import { watch } from 'chokidar';

import type { Project } from '../../gateway/config/project.js';

/** What a changed file belongs to. */
export type ChangedPart = 'endpoints' | 'schema' | 'demo' | 'tests' | 'environment';

export interface WatchEvents {
  /** @param files absolute, by the part that they belong to; those that changed within a short time together. */
  readonly onChange: (files: ReadonlyMap<ChangedPart, readonly string[]>) => void;
  /** Called once for each kind of error: a system that cannot watch more files reports that for each file. */
  readonly onError: (error: Error) => void;
}

/**
 * Milliseconds without a further change after which changes are reported: one save can write several files. More than the 50
 * for which chokidar reports a changed file only once: a change within them would otherwise be read too early, and never again.
 */
const QUIET_MS = 60;
/** Milliseconds after which changes are reported although more of them follow. */
const LONGEST_MS = 400;

/** Files that endpoints consist of or can import. */
const SOURCE = /\.(?:sql|json|[cm]?[jt]s)$/;
/** Names of folders that contain nothing of the project. */
const IGNORED = /^(?:node_modules|\..+)$/;
/** Names of such folders outside of the endpoint files. */
const OUTPUT = /^(?:dist|coverage)$/;

/**
 * Watches the files of a project until it is closed.
 *
 * @param dataDir contains the database, which changes all the time.
 */
export async function watchProject(
  project: Project,
  dataDir: string,
  events: WatchEvents,
): Promise<{ readonly close: () => Promise<void> }> {
  const environmentFile = path.join(project.folder, '.env');
  const watcher = watch(project.folder, {
    ignoreInitial: true,
    // The target of a link is either watched already, as a part of the project, or not a part of it.
    followSymlinks: false,
    ignored: (file, stats) =>
      file !== project.folder &&
      file !== environmentFile &&
      (file === dataDir ||
        IGNORED.test(path.basename(file)) ||
        (OUTPUT.test(path.basename(file)) && !isIn(project.endpointsFolder, file)) ||
        (stats?.isFile() === true && !SOURCE.test(file) && !isIn(project.testsFolder, file))),
  });
  const batch = new Batch(events.onChange);
  watcher.on('all', (event, file) => {
    if (event === 'addDir') return;
    const part = partOf(project, file, environmentFile);
    batch.add(part, file);
  });
  const reported = new Set<unknown>();
  watcher.on('error', (error) => {
    const { code, message } = error as NodeJS.ErrnoException;
    if (reported.has(code ?? message)) return;
    reported.add(code ?? message);
    events.onError(error as Error);
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return {
    close: async () => {
      batch.stop();
      await watcher.close();
    },
  };
}

function partOf(
  { schemaFolder, demoFolder, testsFolder }: Project,
  file: string,
  environmentFile: string,
): ChangedPart {
  if (file === environmentFile) return 'environment';
  if (isIn(schemaFolder, file)) return 'schema';
  if (isIn(testsFolder, file)) return 'tests';
  return isIn(demoFolder, file) ? 'demo' : 'endpoints';
}

const isIn = (folder: string, file: string): boolean =>
  file === folder || file.startsWith(`${folder}${path.sep}`);

/** Changes that are reported together. */
class Batch {
  private readonly files = new Map<ChangedPart, Set<string>>();
  private quiet: NodeJS.Timeout | undefined;
  private longest: NodeJS.Timeout | undefined;

  constructor(private readonly onChange: WatchEvents['onChange']) {}

  add(part: ChangedPart, file: string): void {
    this.files.set(part, (this.files.get(part) ?? new Set()).add(file));
    clearTimeout(this.quiet);
    this.quiet = setTimeout(this.report, QUIET_MS);
    this.longest ??= setTimeout(this.report, LONGEST_MS);
  }

  stop(): void {
    clearTimeout(this.quiet);
    clearTimeout(this.longest);
    this.longest = undefined;
  }

  private readonly report = (): void => {
    this.stop();
    const files = new Map([...this.files].map(([part, set]) => [part, [...set]] as const));
    this.files.clear();
    this.onChange(files);
  };
}
