import type { EndpointAnalyses } from '../analysis/endpoint-analyses.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { ServedEndpoints } from '../../endpoint/served-endpoints.js';
import type { OpenClickHouse } from './open-clickhouse.js';
import type { QueryExecution } from './open-query-execution.js';
import type { EndpointsLoader, LoadedEndpoints } from './project-endpoints.js';
import { logReload, Reloader, type Reload } from './reloader.js';
import { ServedAnalyses } from './served-analyses.js';
import type { SharedParts } from './shared-parts.js';

/** The dependencies of reloads. */
export interface ReloadingParts extends SharedParts {
  readonly loader: EndpointsLoader;
  /** The endpoints that were loaded at the start. */
  readonly first: LoadedEndpoints;
  readonly analyses: EndpointAnalyses;
  readonly endpoints: ServedEndpoints;
  readonly clickhouse: OpenClickHouse;
  readonly execution: Pick<QueryExecution, 'adoptEndpoints' | 'metrics'>;
  /** Present in a development server, which analyses endpoints while it loads them. */
  readonly development: object | undefined;
  /** Reports reloads; absent where they are logged. */
  readonly files: { readonly onReload: (outcome: Reload) => void } | undefined;
}

/** The keys that name endpoints. */
interface ReloadedKeys {
  /** Reads the keys file for these endpoints; resolves to a function that applies it. @throws Error where a key does not fit */
  readonly readFor: (endpoints: readonly Endpoint[]) => Promise<() => void>;
}

/** Creates the reloader of the endpoints, which analyses changed ones. */
export function openReloader(
  parts: ReloadingParts,
  keys: ReloadedKeys,
): { readonly reloader: Reloader; readonly analysing: ServedAnalyses } {
  const { endpoints, logger, clock } = parts;
  const { loader, first, analyses, clickhouse, execution, files, development } = parts;
  const analysing = new ServedAnalyses({
    ...{ analyses, endpoints, fileOf: loader.fileOf, logger, clock },
    clients: clickhouse.servers.map(({ client }) => client),
  });
  let adoptKeys = (): void => undefined;
  const reloader = new Reloader(
    {
      served: endpoints,
      load: loader.load,
      prepare: async (all, changed, options) => {
        adoptKeys = await keys.readFor(all);
        if (development) return;
        await clickhouse.own?.prepareFor(changed);
        await analysing.requireAccepted({ all, changed }, options);
      },
      onReplaced: (outdated) => {
        adoptKeys();
        analyses.keepOnly(endpoints.all());
        execution.adoptEndpoints(outdated);
      },
      report: files?.onReload ?? logReload(logger),
      clock,
    },
    first.problems,
  );
  const outcomes = {
    get last() {
      return reloader.last;
    },
    get lastSuccess() {
      return reloader.lastSuccess;
    },
    rejected: () => endpoints.all().filter((endpoint) => analyses.isRejected(endpoint)).length,
  };
  execution.metrics.observe('reloads', () => outcomes);
  return { reloader, analysing };
}
