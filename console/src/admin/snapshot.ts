import type { Caching } from '../model/endpoint.js';
import { readSamples, type Sample } from '../model/metrics.js';

export interface CacheState {
  readonly redis: string;
  readonly endpoints: readonly {
    readonly endpoint: string;
    readonly caching: Caching;
    readonly entries: number;
    readonly bytes: number;
    readonly requests: number;
    readonly hitRatio: { readonly all: number | null };
  }[];
}

export interface WarmingState {
  readonly sets: readonly {
    readonly endpoint: string;
    readonly hash: string;
    readonly parameters: unknown;
    readonly lastRun: string | null;
    readonly clickhouseMs: number | null;
    readonly rowsRead: number | null;
    readonly bytesRead: number | null;
    readonly failures: number;
    readonly hitsSince: number;
    readonly nextRun: string | null;
  }[];
}

export interface KeysState {
  readonly keys: readonly {
    readonly name: string;
    readonly endpoints: readonly string[];
    readonly expires: string | null;
    readonly lastUse: string | null;
    readonly quotas: readonly {
      readonly counted: string;
      readonly quota: number;
      /** Seconds. */
      readonly window: number;
      readonly used: number;
    }[];
  }[];
  readonly others: readonly { readonly name: string; readonly lastUse: string | null }[];
}

export interface Failures {
  readonly failures: readonly {
    readonly time: string;
    readonly requestId: string;
    readonly endpoint?: string;
    readonly status: number;
    readonly code: string;
    readonly key?: string;
    readonly diagnosis?: string;
    readonly cause?: string;
  }[];
}

export interface Usage {
  /** Costs of the last 7 days by key; null without a request log. */
  readonly usage:
    | readonly {
        readonly name: string;
        readonly purpose: string;
        readonly requests: number;
        readonly hits: number;
        readonly errors: number;
        readonly rows_read: number;
        readonly bytes_read: number;
        readonly clickhouse_ms: number;
        readonly bytes_sent: number;
      }[]
    | null;
}

export interface RunningCalls {
  readonly calls: readonly {
    readonly id: string;
    readonly endpoint: string;
    readonly key: string;
    readonly parameters: Readonly<Record<string, unknown>>;
    readonly seconds: number;
  }[];
}

/** Something wrong in a file, or of an endpoint, as the admin API says it. */
export interface ProjectProblem {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly problem: string;
  readonly excerpt?: string;
}

/** The files of the project, as they were loaded. */
export interface ProjectState {
  readonly endpoints: readonly {
    readonly name: string;
    /** Why ClickHouse rejects the query. */
    readonly rejections?: readonly ProjectProblem[];
  }[];
  readonly lastSuccess: string;
  readonly lastReload: {
    readonly at: string;
    readonly ok: boolean;
    readonly problems: readonly ProjectProblem[];
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly removed: readonly string[];
  };
}

/** The responses of the admin API at one time. */
export interface Snapshot {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly samples: readonly Sample[];
  readonly cache: CacheState;
  readonly warming: WarmingState;
  readonly keys: KeysState;
  readonly errors: Failures;
  readonly running: RunningCalls;
  readonly project: ProjectState;
  /** Disk usage; absent where ClickHouse does not report it. */
  readonly usage: Usage | undefined;
}

/** Fetches from the admin API everything that the page shows. @throws Error where a response is not 2xx */
export async function fetchSnapshot(signal: AbortSignal): Promise<Snapshot> {
  const get = async (path: string): Promise<Response> => {
    const response = await fetch(new URL(path, document.baseURI), {
      signal,
      cache: 'no-store',
      credentials: 'omit',
    });
    if (!response.ok) throw new Error(`/${path} returned ${response.status}`);
    return response;
  };
  const json = async <T>(path: string): Promise<T> => (await (await get(path)).json()) as T;
  const [metrics, cache, warming, keys, errors, running, project, usage] = await Promise.all([
    get('metrics').then((response) => response.text()),
    json<CacheState>('cache'),
    json<WarmingState>('warming'),
    json<KeysState>('keys'),
    json<Failures>('errors'),
    json<RunningCalls>('calls'),
    json<ProjectState>('endpoints'),
    json<Usage>('usage').catch(() => undefined),
  ]);
  const samples = readSamples(metrics);
  return { at: Date.now(), samples, cache, warming, keys, errors, running, project, usage };
}
