import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import { problemsOf, type Analysis } from '../analysis/analyse-endpoint.js';
import type { EndpointAnalyses } from '../analysis/endpoint-analyses.js';
import { withFailover } from '../clickhouse/failover.js';
import { translateClickHouseError } from '../clickhouse/translate-error.js';
import { concurrently } from '../../endpoint/concurrently.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { textOfProblem, type FileProblem } from '../../endpoint/file-problems.js';
import type { SetTimer } from '../query/signal.js';
import { ProblemsOfFiles } from './project-endpoints.js';
import { NotAnalysed, type ReloadOptions } from './reloader.js';
import type { SharedParts } from './shared-parts.js';

/** Milliseconds after which endpoints that ClickHouse rejected are analysed again. */
const AGAIN_MS = 60_000;
/** Milliseconds after which endpoints that could not be analysed are tried again; doubled each time, up to the maximum. */
const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 600_000;

/** A timer that does not keep the process running. */
const setIdleTimer: SetTimer = (run, ms) => clearTimeout.bind(undefined, setTimeout(run, ms).unref());

/** Maximum number of concurrent analyses before a reload; in the background they run one at a time. */
const CONCURRENT = 4;

export interface ServedAnalysesDependencies extends Pick<SharedParts, 'endpoints' | 'logger' | 'clock'> {
  readonly analyses: EndpointAnalyses;
  /** The file of a loaded endpoint, as messages name it; undefined for the gateway's own endpoints. */
  readonly fileOf: (endpoint: Endpoint) => string | undefined;
  /** Clients of ClickHouse, one for each server. */
  readonly clients: readonly ClickHouseClient[];
  readonly setTimer?: SetTimer;
}

/** Makes ClickHouse analyse the endpoints of a gateway: changed ones before they are served, the others while they are served. */
export class ServedAnalyses {
  private readonly closing = new AbortController();
  private readonly onServer: ReturnType<typeof withFailover<ClickHouseClient>>;
  private cancelTimer: (() => void) | undefined;
  private pauseMs = FIRST_PAUSE_MS;
  private isRunning = false;
  /** Resolves once every endpoint has been analysed where that is possible; undefined before the start. */
  first: Promise<void> | undefined;

  constructor(private readonly dependencies: ServedAnalysesDependencies) {
    this.onServer = withFailover(dependencies.clients);
  }

  /** Analyses every endpoint in the background. Repeats that for endpoints that ClickHouse rejected or did not analyse. */
  start(): void {
    const round = this.round();
    this.first ??= round.then(() => undefined);
    void round.then((isComplete) => {
      if (this.closing.signal.aborted) return;
      const { setTimer = setIdleTimer } = this.dependencies;
      const waitMs = isComplete ? AGAIN_MS : this.pauseMs;
      this.pauseMs = isComplete ? FIRST_PAUSE_MS : Math.min(this.pauseMs * 2, MAX_PAUSE_MS);
      this.cancelTimer = setTimer(() => {
        this.start();
      }, waitMs);
    });
  }

  readonly close = (): void => {
    this.cancelTimer?.();
    this.closing.abort();
  };

  /**
   * Analyses, one at a time, the endpoints that ClickHouse has not accepted. Does nothing while another round runs. Never rejects.
   *
   * @returns whether ClickHouse analysed all of them.
   */
  async round(): Promise<boolean> {
    if (this.isRunning) return true;
    this.isRunning = true;
    const isComplete = await this.analyseAll();
    this.isRunning = false;
    return isComplete;
  }

  private async analyseAll(): Promise<boolean> {
    const { analyses, endpoints, logger } = this.dependencies;
    let isComplete = true;
    for (const endpoint of endpoints.all()) {
      if (analyses.isAccepted(endpoint) || !endpoints.has(endpoint)) continue;
      const failure = await this.analyse(endpoint).catch((error: unknown) => error);
      // While ClickHouse is unreachable, no other endpoint can be analysed either: the next round tries again.
      if (failure === undefined) continue;
      if (!(failure instanceof ClickHouseError)) return false;
      if (isComplete && this.pauseMs === FIRST_PAUSE_MS) {
        const { diagnosis } = translateClickHouseError(failure).details;
        logger.warn('ClickHouse did not analyse an endpoint: it is asked again, and calls run meanwhile', {
          ...{ endpoint: endpoint.name, diagnosis },
        });
      }
      isComplete = false;
    }
    return isComplete;
  }

  /**
   * Analyses endpoints before they are served: the changed ones, and those that were rejected before.
   *
   * @throws ProblemsOfFiles where ClickHouse rejects a changed endpoint; NotAnalysed where one could not be analysed, unless `force`
   */
  async requireAccepted(
    { all, changed }: Readonly<Record<'all' | 'changed', readonly Endpoint[]>>,
    { force = false }: ReloadOptions,
  ): Promise<void> {
    const { analyses } = this.dependencies;
    const isChanged = new Set(changed);
    // The analysis of unchanged endpoints must not reject the reload.
    await this.each(
      all.filter((endpoint) => !isChanged.has(endpoint) && analyses.isRejected(endpoint)),
    ).catch(() => undefined);
    try {
      await this.each(changed.filter((endpoint) => !analyses.isAccepted(endpoint)));
    } catch (cause) {
      if (!force) throw notAnalysed(cause);
    }
    const problems = changed.flatMap((endpoint) => this.rejectionsOf(endpoint));
    if (problems.length > 0) throw new ProblemsOfFiles(problems);
  }

  /** Analyses several endpoints at a time. @throws Error where ClickHouse does not analyse one of them */
  private each(endpoints: readonly Endpoint[]): Promise<void> {
    return concurrently(endpoints, CONCURRENT, (endpoint) => this.analyse(endpoint));
  }

  private rejectionsOf(endpoint: Endpoint): readonly FileProblem[] {
    const { analyses, fileOf } = this.dependencies;
    const file = fileOf(endpoint);
    return analyses.rejectionsOf(endpoint).map((problem) => ({
      ...(file !== undefined && { file }),
      ...problem,
    }));
  }

  /** @throws Error where ClickHouse does not analyse the endpoint */
  private async analyse(endpoint: Endpoint): Promise<void> {
    const { analyses, clock } = this.dependencies;
    const before = analyses.of(endpoint);
    const { signal } = this.closing;
    const tools = { now: clock, signal };
    const after = await this.onServer((client) => analyses.analyse(endpoint, { client, ...tools }));
    this.logChange(endpoint, before, after);
  }

  private logChange(analysed: Endpoint, before: Analysis | undefined, after: Analysis): void {
    const { analyses, endpoints, logger } = this.dependencies;
    const { name: endpoint } = analysed;
    const problems = problemsOf(after).map(textOfProblem);
    const earlier = before ? problemsOf(before).map(textOfProblem) : [];
    if (problems.join() === earlier.join()) return;
    if (analyses.isRejected(analysed)) {
      // The rejection of an endpoint that is not served is a problem of the reload.
      if (!endpoints.has(analysed)) return;
      logger.warn('ClickHouse rejects the query of an endpoint: its calls are 500 ENDPOINT_INVALID', {
        endpoint,
        problems,
      });
    } else if (problems.length > 0) {
      logger.warn('the query of an endpoint returns other columns than declared', { endpoint, problems });
    } else {
      logger.info('ClickHouse accepts the query of an endpoint again', { endpoint });
    }
  }
}

function notAnalysed(cause: unknown): NotAnalysed {
  const { diagnosis = '' } = translateClickHouseError(cause).details;
  return new NotAnalysed(
    `ClickHouse did not analyse the changed endpoints (${diagnosis}): reload them when it responds, or with ` +
      'POST /endpoints/reload?force=1 to serve them as they are.',
    { cause },
  );
}
