import type { ClickHouseClient } from '@clickhouse/client';

import { bindQuery, type BoundQuery } from '../../src/endpoint/bind.js';
import { rowCap, type Endpoint } from '../../src/endpoint/endpoint.js';
import type { EndpointRegistry } from '../../src/endpoint/registry.js';
import { validateParameters } from '../../src/gateway/query/validate-parameters.js';
import { firstRow } from '../measuring/first-row.js';

/** An endpoint with request parameters, and a description of how much data the query reads. */
export interface EndpointQuery {
  readonly endpoint: string;
  readonly about: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Projects {
  readonly largest: string;
  /** About half a percent of the rows. */
  readonly medium: string;
  /** A thousandth of the rows. */
  readonly smallest: string;
}

/** Names like those of real projects: the form of a query depends on them. */
const UNKNOWN: Projects = { largest: 'aurora', medium: 'aurora', smallest: 'aurora' };

/** The queries to measure, always in the same number and order; without projects only their form is meaningful. */
export function queriesAbout(projects: Projects = UNKNOWN, now = new Date()): readonly EndpointQuery[] {
  const { largest, medium, smallest } = projects;
  const byProject = (
    [
      ['largest project', largest],
      ['0.5 % project', medium],
      ['0.1 % project', smallest],
    ] as const
  ).flatMap(([about, project]): readonly EndpointQuery[] => [
    {
      endpoint: 'functions.invocation-stats',
      about: `7day, ${about}`,
      parameters: { project, interval: '7day' },
    },
    { endpoint: 'logs.all', about, parameters: { project, project_tier: 'PRO' } },
    { endpoint: 'usage.api-counts', about: `daily, ${about}`, parameters: { project, interval: 'daily' } },
  ]);
  const start_time = `${new Date(now.getTime() - 30 * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
  const [events, redirects] = ['get-grouped-stats-events-logs', 'get-grouped-stats-redirects'];
  return [
    ...byProject,
    { endpoint: events, about: '30 days, all', parameters: { start_time } },
    {
      endpoint: events,
      about: '30 days, views in DE',
      parameters: { start_time, event_type: 'view', country: 'DE' },
    },
    { endpoint: events, about: '30 days, one rare event', parameters: { start_time, event_ids: 'ev-0999' } },
    { endpoint: events, about: '30 days, search term', parameters: { start_time, search_term: 'PAGE 99' } },
    { endpoint: redirects, about: '30 days, all', parameters: { start_time } },
    {
      endpoint: redirects,
      about: '30 days, one rare page',
      parameters: { start_time, event_name: '/page/999' },
    },
  ].sort((a, b) => a.endpoint.localeCompare(b.endpoint));
}

/** Selects the projects to measure from the edge logs of the client's database. */
export async function findProjects(client: ClickHouseClient): Promise<Projects> {
  const [largest = '', medium = '', smallest = ''] = await firstRow(
    client,
    `
      WITH (SELECT count() FROM edge_logs) AS total
      SELECT argMax(project, rows), argMin(project, abs(rows - total / 200)), argMin(project, rows)
      FROM (SELECT project, count() AS rows FROM edge_logs GROUP BY project)`,
  );
  return { largest, medium, smallest };
}

/** Returns the URL of a query at a gateway. */
export const urlOf = (gateway: string, { endpoint, parameters }: EndpointQuery): string =>
  `${gateway}/api/endpoints/query/${endpoint}?${new URLSearchParams(parameters).toString()}`;

/** Binds an endpoint's query as the gateway sends it. */
export function bindEndpointQuery(
  endpoints: EndpointRegistry,
  { endpoint: name, parameters }: EndpointQuery,
): BoundQuery {
  const endpoint = endpointNamed(endpoints, name);
  const values = valuesOf(endpoint, parameters);
  return bindQuery(endpoint.query, values, new Set(), new Date(), rowCap(endpoint) + 1);
}

/** Returns the validated parameters. */
export function valuesOf(
  endpoint: Endpoint,
  parameters: EndpointQuery['parameters'],
): ReturnType<typeof validateParameters> {
  const raw = new Map(Object.entries(parameters).map(([name, text]) => [name, { text, times: 1 }]));
  return validateParameters(endpoint, raw);
}

/** @throws Error if the endpoint does not exist. */
export function endpointNamed(endpoints: EndpointRegistry, name: string): Endpoint {
  const endpoint = endpoints.find(name);
  if (!endpoint) throw new Error(`There is no endpoint ${name}.`);
  return endpoint;
}
