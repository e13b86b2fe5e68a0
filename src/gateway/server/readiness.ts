import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Endpoints } from '../../endpoint/registry.js';
import type { EndpointAnalyses } from '../analysis/endpoint-analyses.js';
import { isOwnEndpoint } from '../observability/own-endpoints.js';
import type { OpenOverrides } from './open-overrides.js';
import type { ServedAnalyses } from './served-analyses.js';
import type { ServingProbe } from './serving-probe.js';

/** Milliseconds that the first request for readiness waits for the first analysis of the endpoints. */
const FIRST_ANALYSIS_MS = 2000;

export interface ReadinessDependencies {
  readonly overrides: Pick<OpenOverrides, 'problems'>;
  readonly probe: Pick<ServingProbe, 'problem'>;
  readonly analysing: Pick<ServedAnalyses, 'first'>;
  readonly analyses: Pick<EndpointAnalyses, 'rejectionsOf'>;
  readonly endpoints: Pick<Endpoints, 'all'>;
}

/** Why calls fail although ClickHouse responds: sentences for the operator, without text of ClickHouse. Empty where they can succeed. */
export async function whyNotReady({
  overrides,
  probe,
  analysing,
  analyses,
  endpoints,
}: ReadinessDependencies): Promise<readonly string[]> {
  const ofSettings = await overrides.problems();
  if (ofSettings.length > 0) return ofSettings;
  const problem = await probe.problem();
  if (problem !== undefined) return [`Queries of this gateway fail. ${problem}`];
  await within(analysing.first ?? Promise.resolve(), FIRST_ANALYSIS_MS);
  const all = endpoints.all().filter(({ name }) => !isOwnEndpoint(name));
  const lacksRight = (endpoint: Endpoint): boolean =>
    analyses.rejectionsOf(endpoint).some(({ code }) => code === 'RIGHT_MISSING');
  return all.length > 0 && all.every(lacksRight)
    ? [
        'The ClickHouse user may read the tables of no endpoint: run querygate grants, and grant what it prints.',
      ]
    : [];
}

/** Waits for a task, at most for `ms`. */
async function within(task: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([task, limit]);
  clearTimeout(timer);
}
