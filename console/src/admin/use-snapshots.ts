import { useEffect, useState } from 'preact/hooks';

import { fetchSnapshot, type Snapshot } from './snapshot.js';
import { rateBetween, type Rate } from './summary.js';

const PAUSE_MS = 5000;
/** A quarter of an hour. */
const KEPT_RATES = 180;

export interface Snapshots {
  readonly latest?: Snapshot;
  readonly rates: readonly Rate[];
  readonly problem?: string;
}

/** Fetches a snapshot of the admin API every five seconds while the page is visible. */
export function useSnapshots(): Snapshots {
  const [state, setState] = useState<Snapshots>({ rates: [] });
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      clearTimeout(timer);
      if (document.hidden || controller.signal.aborted) return;
      try {
        const latest = await fetchSnapshot(controller.signal);
        setState((before) => withLatest(before, latest));
      } catch (error) {
        setState(({ latest, rates }) => ({
          rates,
          problem: (error as Error).message,
          ...(latest && { latest }),
        }));
      }
      timer = setTimeout(() => void look(), PAUSE_MS);
    };
    const onVisible = (): void => void look();
    document.addEventListener('visibilitychange', onVisible);
    void look();
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, []);
  return state;
}

function withLatest({ latest: before, rates }: Snapshots, latest: Snapshot): Snapshots {
  const rate = before && rateBetween(before, latest);
  return { latest, rates: rate ? [...rates, rate].slice(-KEPT_RATES) : rates };
}
