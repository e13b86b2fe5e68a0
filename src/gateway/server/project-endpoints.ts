import { writesRequestLog, type Config } from '../config/config.js';
import { readEndpointSettingsFile } from '../config/endpoint-settings-file.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { textOfProblem, type FileProblem } from '../../endpoint/file-problems.js';
import { EndpointLoader, type LoadedFiles } from '../../endpoint/endpoint-loader.js';
import { EndpointRegistry } from '../../endpoint/registry.js';
import { isOwnEndpoint, OWN_ENDPOINTS } from '../observability/own-endpoints.js';
import { requireOwnNames } from '../tables/table-name.js';

/** The configuration that determines which endpoints a gateway serves. */
export type EndpointsConfig = Pick<Config, 'project' | 'endpointSettingsFile' | 'clickhouse' | 'requestLog'>;

export interface ProjectEndpointsOptions {
  /** Option of {@link EndpointLoader}. */
  readonly mayLackColumns?: boolean;
  /**
   * Called after each load with the content of the files, before settings are applied. Returns the endpoints to serve and the
   * problems to report.
   *
   * @param earlier the endpoints of the last load, by file.
   */
  readonly complete?: (loaded: LoadedFiles, earlier: ReadonlyMap<string, Endpoint>) => Promise<LoadedFiles>;
}

/** Loaded endpoints, and the problems of files that could not be loaded. */
export interface LoadedEndpoints {
  readonly endpoints: EndpointRegistry;
  readonly problems: readonly FileProblem[];
  /** Names of the endpoints that are served in an earlier version, because their file has a problem. */
  readonly kept: readonly string[];
}

/**
 * Loads the endpoints that a gateway serves, with the settings of its deployment, at the start and after each change. These are the
 * endpoints of the project. The gateway's own endpoints are added where the request log is written: they read its table, which
 * need not exist elsewhere.
 */
class ProjectEndpoints {
  private readonly loader: EndpointLoader;
  /** The last valid endpoint of each file. */
  private good: ReadonlyMap<string, Endpoint> = new Map();
  /** File of each loaded endpoint, by endpoint id. */
  private files: ReadonlyMap<string, string> = new Map();

  constructor(
    private readonly config: EndpointsConfig,
    private readonly options: ProjectEndpointsOptions = {},
  ) {
    this.loader = new EndpointLoader(config.project.endpointsFolder, options.mayLackColumns);
  }

  /** @throws Error that lists every invalid endpoint file, or names the invalid settings. */
  async load(): Promise<LoadedEndpoints> {
    const { endpoints, problems } = await this.loadFiles();
    if (problems.length > 0) throw new ProblemsOfFiles(problems);
    return { endpoints: await this.settled(endpoints), problems, kept: [] };
  }

  /**
   * Loads all valid files. A file with a problem keeps its earlier endpoint.
   *
   * @throws Error that names invalid settings.
   */
  async loadWhatIsValid(): Promise<LoadedEndpoints> {
    const { endpoints, problems } = await this.loadFiles();
    const invalid = new Set(problems.map(({ file }) => file));
    // A problem without a file, such as a missing folder, is a problem of every file.
    const isInvalid = (file: string): boolean => invalid.has(file) || invalid.has(undefined);
    const kept = [...this.good].filter(([file]) => isInvalid(file) && !endpoints.has(file));
    const free = kept.filter(([, endpoint]) => !isTaken(endpoint, endpoints));
    const valid = new Map([...endpoints, ...free]);
    this.good = valid;
    const names = free.map(([, { name }]) => name);
    return { endpoints: await this.settled(valid), problems, kept: names };
  }

  private async loadFiles(): Promise<LoadedFiles> {
    const loaded = await this.loader.load();
    return this.options.complete ? this.options.complete(loaded, this.good) : loaded;
  }

  /** The file of a loaded endpoint, as messages name it; undefined for the gateway's own endpoints. */
  readonly fileOf = ({ id }: Endpoint): string | undefined => this.files.get(id);

  private async settled(byFile: ReadonlyMap<string, Endpoint>): Promise<EndpointRegistry> {
    this.files = new Map([...byFile].map(([file, { id }]) => [id, file]));
    const endpoints = [...byFile.values()];
    const own = endpoints.find(({ name }) => isOwnEndpoint(name));
    if (own) {
      throw new Error(`${own.name} is an endpoint of the gateway itself: give the project’s another name.`);
    }
    const registry = await withOverrides(new EndpointRegistry([...endpoints, ...OWN_ENDPOINTS]), this.config);
    return writesRequestLog(this.config) ? registry : registry.without(isOwnEndpoint);
  }
}

/** Loads the endpoints of a gateway, at the start and after each change. */
export interface EndpointsLoader {
  /** @throws Error where nothing of what was loaded can be served. */
  readonly load: () => Promise<LoadedEndpoints>;
  /** The file of a loaded endpoint, as messages name it; undefined for the gateway's own endpoints. */
  readonly fileOf: (endpoint: Endpoint) => string | undefined;
}

/** Loads the endpoints with the settings of this deployment. */
export function endpointsLoader(
  config: Config,
  loading: ProjectEndpointsOptions | undefined,
  withoutLimits: boolean,
): EndpointsLoader {
  const project = new ProjectEndpoints(config, loading);
  const { staleIfErrorSeconds: staleIfError } = config.cache;
  const load = async (): Promise<LoadedEndpoints> => {
    const { endpoints, ...loaded } = await (loading ? project.loadWhatIsValid() : project.load());
    const settled = endpoints.withDefaults({ staleIfError });
    if (config.sql) requireOwnNames(settled.all());
    return { endpoints: withoutLimits ? settled.withoutLimits() : settled, ...loaded };
  };
  return { load, fileOf: project.fileOf };
}

/** Endpoint files that cannot be loaded. */
export class ProblemsOfFiles extends Error {
  override readonly name = 'ProblemsOfFiles';

  constructor(readonly problems: readonly FileProblem[]) {
    super(problems.map(textOfProblem).join('\n'));
  }
}

/** Loads the endpoints once. @throws Error that lists every invalid endpoint file, or names the invalid settings */
export async function loadProjectEndpoints(
  config: EndpointsConfig,
  options: Pick<ProjectEndpointsOptions, 'mayLackColumns'> = {},
): Promise<EndpointRegistry> {
  return (await new ProjectEndpoints(config, options).load()).endpoints;
}

/** Whether another file has taken the name or the id of an endpoint. */
function isTaken({ id, name }: Endpoint, endpoints: ReadonlyMap<string, Endpoint>): boolean {
  return [...endpoints.values()].some((other) => other.id === id || other.name === name);
}

async function withOverrides(
  endpoints: EndpointRegistry,
  { endpointSettingsFile: file }: EndpointsConfig,
): Promise<EndpointRegistry> {
  if (file === undefined) return endpoints;
  const { defaults, overrides } = await readEndpointSettingsFile(file);
  try {
    return endpoints.withOverrides(overrides).withDefaults(defaults);
  } catch (cause) {
    throw new Error(`ENDPOINT_SETTINGS_FILE ${file}: ${(cause as Error).message}`, { cause });
  }
}
