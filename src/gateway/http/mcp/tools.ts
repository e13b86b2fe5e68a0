import { cachingText } from '../../../endpoint/caching.js';
import type { Principal } from '../../auth/principal.js';
import { deprecationNote, describeDeprecation } from '../../../endpoint/deprecation.js';
import { rowCap, type Endpoint } from '../../../endpoint/endpoint.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import { Failure } from '../../errors.js';
import type { Times } from '../../formats/format.js';
import { knownFacts } from '../../facts/query-facts.js';
import { findVisible, pageOf } from './catalogue.js';
import type { McpCaller } from './mcp-caller.js';
import { ProtocolError } from './protocol-error.js';
import { inputSchemaOf, outputSchemaOf, type ObjectSchema } from './tool-schema.js';

/** A tool in the form of `tools/list`. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: Readonly<Record<string, boolean>>;
}

/** Maximum number of tools on a page, which then has at most about 200 kB. */
const PAGE_SIZE = 50;

/** A tool only reads data, and a repeated call changes nothing. */
const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/**
 * The name of an endpoint's tool: `events_count_v2` for `events.count@2`, because some clients accept neither dot nor `@`. It is
 * unique: names of endpoints have no underscore, and a name that equals the name of a version is rejected.
 */
export function toolName({ name }: Pick<Endpoint, 'name'>): string {
  return name.replace('@', '.v').replaceAll('.', '_');
}

/** The tools: one for each endpoint and each set of pinned parameters. A tool is created when it is first listed. */
export class Tools {
  private readonly made = new WeakMap<Endpoint, Map<string, Tool>>();

  /** @param times how the gateway writes times. */
  constructor(
    private readonly endpoints: Endpoints,
    private readonly times: Times,
  ) {}

  /** `tools/list` @throws ProtocolError where the cursor is invalid. */
  list(
    caller: McpCaller,
    cursor: string | undefined,
  ): { readonly tools: readonly Tool[]; readonly nextCursor?: string } {
    const { endpoints, ...next } = pageOf(this.endpoints, caller, cursor, PAGE_SIZE);
    return { tools: endpoints.map((endpoint) => this.toolOf(endpoint, caller.principal)), ...next };
  }

  /** The endpoint of a tool; undefined where it does not exist or the caller may not call it. */
  find(principal: Principal, name: unknown): Endpoint | undefined {
    if (typeof name !== 'string') return undefined;
    const unversioned = name.replaceAll('_', '.');
    return [unversioned, unversioned.replace(/\.v(\d+)$/, '@$1')]
      .map((each) => findVisible(this.endpoints, principal, each))
      .find((endpoint) => endpoint && toolName(endpoint) === name);
  }

  /** The endpoint of a tool. @throws ProtocolError where {@link find} returns undefined */
  get(principal: Principal, name: string): Endpoint {
    const endpoint = this.find(principal, name);
    if (endpoint) return endpoint;
    throw new ProtocolError(
      new Failure(
        'ENDPOINT_NOT_FOUND',
        'No tool that this key may call has this name. tools/list has the names.',
      ),
    );
  }

  private toolOf(endpoint: Endpoint, { pinned }: Principal): Tool {
    const names = [...(pinned?.keys() ?? [])].sort();
    const tools = this.made.get(endpoint) ?? new Map<string, Tool>();
    // The parts that a key with pins may read are known only after ClickHouse has analysed the query.
    const key = JSON.stringify([names, knownFacts(endpoint) !== undefined]);
    const known = tools.get(key);
    if (known) return known;
    const tool: Tool = {
      name: toolName(endpoint),
      title: endpoint.name,
      description: descriptionOf(endpoint),
      inputSchema: inputSchemaOf(endpoint, new Set(names)),
      outputSchema: outputSchemaOf(endpoint, this.times),
      annotations: READ_ONLY,
    };
    this.made.set(endpoint, tools.set(key, tool));
    return tool;
  }
}

function descriptionOf(endpoint: Endpoint): string {
  const note = deprecationNote(describeDeprecation(endpoint), (name) => toolName({ name }));
  return `${note}${endpoint.summary} At most ${rowCap(endpoint)} rows; ${cachingText(endpoint.settings)}.`;
}
