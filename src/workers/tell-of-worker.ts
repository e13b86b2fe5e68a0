import type { OperatorView } from '../admin/operator-view.js';
import type { PrimaryLink } from './primary-link.js';
import type { MetricValues, WorkerSnapshot } from './worker-snapshot.js';

/** What a worker that dies without a word counted in this time at most is not in the gateway's figures. */
const NOTE_MS = 2000;
const LAST_NOTE_MS = 1000;

export interface ToldParts {
  readonly link: PrimaryLink;
  /** Of this process alone. */
  readonly view: OperatorView;
  readonly metricValues: () => Promise<readonly MetricValues[]>;
}

/**
 * Answers what the operator asks of this worker, and tells the primary what it counted, for when it is gone.
 *
 * @returns ends it, with a last word.
 */
export function tellOfWorker({ link, view, metricValues }: ToldParts): () => Promise<void> {
  const snapshot = async (): Promise<WorkerSnapshot> => ({
    ...(await view.snapshot()),
    metrics: await metricValues(),
  });
  link.answer({ 'view.snapshot': snapshot, 'view.warming': view.warming, 'view.warm': view.warm });
  const note = async (): Promise<void> => {
    link.tell('view.note', await snapshot());
  };
  const timer = setInterval(() => void note(), NOTE_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await link.askFor('view.note', await snapshot(), LAST_NOTE_MS).catch(() => undefined);
  };
}
