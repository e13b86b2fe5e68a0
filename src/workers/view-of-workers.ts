import type { OperatorView } from '../admin/operator-view.js';
import type { PrimaryLink } from './primary-link.js';
import { mergeSnapshots, metricsText, type WorkerSnapshot } from './worker-snapshot.js';

/** Longer than the primary waits for its workers. */
const GATHER_MS = 5000;
const WARM_ALL_MS = 600_000;

/**
 * The operator's view of all workers together, from any one of them.
 *
 * @returns what fails where the primary does not answer: half of the truth would look like all of it.
 */
export function viewOfWorkers(link: PrimaryLink): OperatorView {
  const gather = (): Promise<readonly WorkerSnapshot[]> => link.askFor('view.gather', null, GATHER_MS);
  return {
    snapshot: async () => mergeSnapshots(await gather()),
    metrics: async () => metricsText(await gather()),
    warming: async () => {
      const views = await link.askFor('view.warming', null, GATHER_MS);
      // With a Redis another gateway may be the one that warms; what is in use is known to each.
      return views.find(({ leader }) => leader) ?? views[0] ?? { leader: false, sets: [] };
    },
    warm: async () => {
      await link.askFor('view.warm', null, WARM_ALL_MS);
    },
  };
}
