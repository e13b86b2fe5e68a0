import type { Endpoint } from '../../endpoint/endpoint.js';
import { textOfProblem, type FileProblem } from '../../endpoint/file-problems.js';
import type { ServedEndpoints } from '../../endpoint/served-endpoints.js';
import type { ReloadState } from '../http/admin/describe-reload.js';
import type { Logger } from '../observability/logger.js';
import type { Clock } from '../query/ports.js';
import { ProblemsOfFiles, type LoadedEndpoints } from './project-endpoints.js';
import { problem } from '../../endpoint/problems.js';

/** The outcome of a reload. */
export interface Reload extends ReloadState {
  readonly problems: readonly FileProblem[];
  /** Names of the endpoints that are served in an earlier version, because their file has a problem. */
  readonly kept: readonly string[];
  /** Set where no problem of the files is known, but ClickHouse did not analyse the changed queries. */
  readonly isNotAnalysed?: true;
}

export interface ReloadOptions {
  /** Whether to serve changed endpoints that an unreachable ClickHouse cannot analyse. */
  readonly force?: boolean;
}

/** The failure of a reload because ClickHouse does not analyse changed endpoints. */
export class NotAnalysed extends Error {
  override readonly name = 'NotAnalysed';
}

interface ReloaderDependencies {
  readonly served: ServedEndpoints;
  /** @throws Error where nothing of what was loaded can be served; the earlier endpoints then stay. */
  readonly load: () => Promise<LoadedEndpoints>;
  /** Called before new and changed endpoints are served. @throws Error where they must not be served */
  readonly prepare: (
    all: readonly Endpoint[],
    changed: readonly Endpoint[],
    options: ReloadOptions,
  ) => Promise<void>;
  /** Called when other endpoints are served. @param outdated ids of endpoints that were removed or have another definition */
  readonly onReplaced: (outdated: ReadonlySet<string>) => void;
  /** Called with the outcome of each reload. */
  readonly report: (outcome: Reload) => void;
  readonly clock: Clock;
}

/** Loads the endpoints again and serves them in place of the earlier ones. */
export class Reloader {
  #last: Reload;
  #lastSuccess: Date;
  private running: Promise<Reload> | undefined;
  private waiting: Promise<Reload> | undefined;
  private isWaitingForced = false;

  /** @param first the problems of the first load. */
  constructor(
    private readonly dependencies: ReloaderDependencies,
    first: readonly FileProblem[] = [],
  ) {
    this.#lastSuccess = dependencies.clock();
    this.#last = { at: this.#lastSuccess, ok: first.length === 0, problems: first, kept: [], ...NO_CHANGES };
  }

  /** The last reload; before the first one, the load at the start. */
  get last(): Reload {
    return this.#last;
  }

  /** When the last reload with only valid files ended. */
  get lastSuccess(): Date {
    return this.#lastSuccess;
  }

  /**
   * Reloads once. A request during a reload starts another one after it, because the running one may have read a file before the
   * file changed. Never rejects.
   */
  reload({ force = false }: ReloadOptions = {}): Promise<Reload> {
    if (!this.running && !this.waiting) return this.start({ force });
    this.isWaitingForced ||= force;
    // A waiting reload is joined even where the running one has just ended: two concurrent reloads could end in another order.
    this.waiting ??= (this.running ?? Promise.resolve()).then(() => {
      const options = { force: this.isWaitingForced };
      this.waiting = undefined;
      this.isWaitingForced = false;
      return this.start(options);
    });
    return this.waiting;
  }

  private start(options: ReloadOptions): Promise<Reload> {
    this.running = this.run(options).finally(() => (this.running = undefined));
    return this.running;
  }

  private async run(options: ReloadOptions): Promise<Reload> {
    const { clock, report } = this.dependencies;
    const { changes, ...found } = await this.replace(options).catch((error: unknown) => ({
      changes: NO_CHANGES,
      problems:
        error instanceof ProblemsOfFiles ? error.problems : [problem('RELOAD_FAILED', messageOf(error))],
      kept: [],
      ...(error instanceof NotAnalysed && { isNotAnalysed: true as const }),
    }));
    const ok = found.problems.length === 0;
    this.#last = { at: clock(), ok, ...found, ...changes };
    if (ok) this.#lastSuccess = this.#last.at;
    report(this.#last);
    return this.#last;
  }

  private async replace(
    options: ReloadOptions,
  ): Promise<Pick<Reload, 'problems' | 'kept'> & { readonly changes: EndpointChanges }> {
    const { served, load, prepare, onReplaced } = this.dependencies;
    const { endpoints, problems, kept } = await load();
    const { changes, changed, outdated } = compare(served.all(), endpoints.all());
    await prepare(endpoints.all(), changed, options);
    served.replace(endpoints);
    onReplaced(outdated);
    return { changes, problems, kept };
  }
}

type EndpointChanges = Pick<Reload, 'added' | 'changed' | 'removed'>;

const NO_CHANGES: EndpointChanges = { added: [], changed: [], removed: [] };

interface Comparison {
  readonly changes: EndpointChanges;
  /** New and changed endpoints. */
  readonly changed: readonly Endpoint[];
  /** Ids of endpoints whose cached results must no longer be served. */
  readonly outdated: ReadonlySet<string>;
}

function compare(before: readonly Endpoint[], after: readonly Endpoint[]): Comparison {
  const earlier = new Map(before.map((endpoint) => [endpoint.name, endpoint]));
  const later = new Set(after.map(({ name }) => name));
  const added = after.filter(({ name }) => !earlier.has(name));
  const changed = after.filter((endpoint) => {
    const known = earlier.get(endpoint.name);
    return known !== undefined && visibleState(known) !== visibleState(endpoint);
  });
  const removed = before.filter(({ name }) => !later.has(name));
  const ids = new Map(after.map((endpoint) => [endpoint.id, endpoint]));
  const outdated = before
    .filter((endpoint) => areOutdated(endpoint, ids.get(endpoint.id)))
    .map(({ id }) => id);
  const names = (endpoints: readonly Endpoint[]): readonly string[] => endpoints.map(({ name }) => name);
  return {
    changes: { added: names(added), changed: names(changed), removed: names(removed) },
    changed: [...added, ...changed],
    outdated: new Set(outdated),
  };
}

/** Whether results of an endpoint are outdated: its definition has changed, or they were stored for longer than the settings now allow. */
function areOutdated(before: Endpoint, after: Endpoint | undefined): boolean {
  if (before.digest !== after?.digest) return true;
  const [was, is] = [before, after].map(({ settings: { caching } }) =>
    caching === 'disabled' ? 0 : caching,
  );
  return (is ?? 0) < (was ?? 0);
}

/** All properties of an endpoint that callers can see, as JSON. The query is part of the digest. */
export function visibleState(endpoint: Endpoint): string {
  const { parameters, columns, optionalColumns } = endpoint;
  const declared = [...parameters].map(([name, parameter]) => [name, { ...parameter, schema: undefined }]);
  const facts = { ...endpoint, query: undefined, file: undefined, resultsUnder: undefined };
  return JSON.stringify([facts, declared, [...columns], [...optionalColumns]]);
}

/** Returns a function that logs the outcome of a reload. */
export function logReload(logger: Logger): (outcome: Reload) => void {
  return ({ ok, isNotAnalysed, problems, added, changed, removed }) => {
    if (ok) {
      logger.info('endpoints reloaded', { added, changed, removed });
      return;
    }
    const what = isNotAnalysed ? 'endpoints were not reloaded' : 'endpoint files are invalid';
    logger.error(`${what}; what was served before stays in their place`, {
      problems: problems.map(textOfProblem),
    });
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
