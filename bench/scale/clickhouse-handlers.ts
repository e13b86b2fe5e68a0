import type { BoundQuery } from '../../src/endpoint/bind.js';
import type { EndpointRegistry } from '../../src/endpoint/registry.js';
import { bindEndpointQuery, queriesAbout } from '../data/endpoint-queries.js';

/** The gateway's own limit. With a limit, ClickHouse evaluates its indexes before reading instead of during it. */
const LIMITS = { max_rows_to_read: 10_000_000_000 };

/** Configures ClickHouse to serve each query at `/scale/NUMBER` with its predefined_query_handler. */
export function handlersConfig(endpoints: EndpointRegistry): string {
  const rules = queriesAbout().map((query, index) => {
    const { text, settings = {} } = bindEndpointQuery(endpoints, query);
    const assignments = Object.entries({ ...LIMITS, ...settings }).map(
      ([name, value]) => `${name} = ${value}`,
    );
    return `<rule><url>/scale/${index}</url><methods>GET</methods><handler>
      <type>predefined_query_handler</type><query>${escaped(text)} SETTINGS ${assignments.join(', ')} FORMAT JSON</query></handler></rule>`;
  });
  return `<clickhouse><http_handlers>${rules.join('\n')}<defaults/></http_handlers></clickhouse>`;
}

/** Returns the URL of a query's handler, with its parameters. */
export function handlerUrl(
  clickhouse: string,
  database: string,
  index: number,
  { parameters }: BoundQuery,
): string {
  const url = new URL(`/scale/${index}`, clickhouse);
  url.searchParams.set('database', database);
  url.searchParams.set('wait_end_of_query', '1');
  for (const [name, value] of Object.entries(parameters)) {
    url.searchParams.set(`param_${name}`, Array.isArray(value) ? `['${value.join("','")}']` : String(value));
  }
  return url.href;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '');
