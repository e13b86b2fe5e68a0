import { useEffect, useRef, useState } from 'preact/hooks';

import { fetchDevelopment, fetchEndpoints, ProblemError, type Problem } from '../api.js';
import { problemOf } from '../hooks.js';
import type { DevelopmentState } from '../model/development.js';
import type { Endpoint } from '../model/endpoint.js';
import { Follower } from '../model/follower.js';

/** A gateway in development, as far as it is known. */
export interface Following {
  readonly state?: DevelopmentState;
  readonly isReachable: boolean;
}

interface Listeners {
  readonly onEndpoints: (endpoints: readonly Endpoint[]) => void;
  /** Called where the gateway no longer accepts the key. */
  readonly onRejected: (problem: Problem) => void;
}

interface Revision extends DevelopmentState {
  /** Absent where the revision is the known one. */
  readonly served?: readonly Endpoint[];
}

const IDLE: Following = { isReachable: true };
/** No key, no access, and no development: what no later request changes. */
const FINAL = [401, 403, 404];

/**
 * Follows a gateway that runs in development while the page is visible. Any other gateway gets one request.
 *
 * @param key empty before the gateway has accepted it.
 */
export function useDevelopment(key: string, listeners: Listeners): Following {
  const [following, setFollowing] = useState(IDLE);
  const latest = useRef(listeners);
  latest.current = listeners;
  useEffect(() => {
    if (key === '') return undefined;
    const follower = new Follower<Revision>({
      fetch: (after, signal) => fetchRevision(key, after, signal),
      onState: ({ served, ...state }) => {
        setFollowing({ state, isReachable: true });
        if (served) latest.current.onEndpoints(served);
      },
      onReachable: (isReachable) => {
        setFollowing((before) => (before.isReachable === isReachable ? before : { ...before, isReachable }));
      },
      onEnd: (error) => {
        setFollowing(IDLE);
        const problem = problemOf(error);
        if (problem.status === 401) latest.current.onRejected(problem);
      },
      isFinal: (error) => error instanceof ProblemError && FINAL.includes(error.problem.status),
      pause,
    });
    const followWhileVisible = (): void => {
      if (document.hidden) follower.stop();
      else follower.start();
    };
    document.addEventListener('visibilitychange', followWhileVisible);
    followWhileVisible();
    return () => {
      document.removeEventListener('visibilitychange', followWhileVisible);
      follower.stop();
      setFollowing(IDLE);
    };
  }, [key]);
  return following;
}

/** The endpoints belong to the revision: a failure to fetch them is one of the whole, and is tried again. */
async function fetchRevision(key: string, after: string, signal: AbortSignal): Promise<Revision> {
  const state = await fetchDevelopment(key, after, signal);
  return state.revision === after ? state : { ...state, served: await fetchEndpoints(key, signal) };
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
