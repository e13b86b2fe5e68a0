import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

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

interface Control extends Snapshots {
  /** Fetches a snapshot now. */
  readonly refresh: () => void;
}

/** Fetches a snapshot of the admin API every five seconds while the page is visible. */
export function useSnapshots(): Control {
  const [state, setState] = useState<Snapshots>({ rates: [] });
  const lookNow = useRef<() => void>(() => undefined);
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
    lookNow.current = onVisible;
    document.addEventListener('visibilitychange', onVisible);
    void look();
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, []);
  const refresh = useCallback(() => {
    lookNow.current();
  }, []);
  return { ...state, refresh };
}

function withLatest({ latest: before, rates }: Snapshots, latest: Snapshot): Snapshots {
  const rate = before && rateBetween(before, latest);
  return { latest, rates: rate ? [...rates, rate].slice(-KEPT_RATES) : rates };
}
