import type { ClickHouseClient } from '@clickhouse/client';

/** An endpoint with the parameters of a call, and how much of the data it is about. */
export interface ScaleQuestion {
  readonly endpoint: string;
  readonly about: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Projects {
  readonly largest: string;
  /** Of about half a percent of the rows. */
  readonly middling: string;
  readonly smallest: string;
}

/** Names as projects have them: a query's form depends on that. */
const UNKNOWN: Projects = { largest: 'aurora', middling: 'aurora', smallest: 'aurora' };

/** The questions, always as many and in the same order; without projects only their form counts. */
export function questionsAbout(projects: Projects = UNKNOWN, now = new Date()): readonly ScaleQuestion[] {
  const { largest, middling, smallest } = projects;
  const byProject = (
    [
      ['largest project', largest],
      ['0.5 % project', middling],
      ['smallest project', smallest],
    ] as const
  ).flatMap(([about, project]): readonly ScaleQuestion[] => [
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
    { endpoint: redirects, about: '30 days, all', parameters: { start_time } },
    {
      endpoint: redirects,
      about: '30 days, one rare page',
      parameters: { start_time, event_name: '/page/999' },
    },
  ].sort((a, b) => a.endpoint.localeCompare(b.endpoint));
}

/** Whom to ask about. */
export async function findProjects(client: ClickHouseClient): Promise<Projects> {
  const result = await client.query({
    query: `
      WITH (SELECT count() FROM edge_logs) AS total
      SELECT argMax(project, rows), argMin(project, abs(rows - total / 200)), argMin(project, rows)
      FROM (SELECT project, count() AS rows FROM edge_logs GROUP BY project)`,
    format: 'JSONCompactEachRow',
  });
  const [[largest, middling, smallest] = ['', '', '']] = await result.json<[string, string, string]>();
  return { largest, middling, smallest };
}
