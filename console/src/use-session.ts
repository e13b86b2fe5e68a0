import { useCallback, useEffect, useState } from 'preact/hooks';

import { fetchEndpoints, type Problem } from './api.js';
import { problemOf } from './hooks.js';
import { forgetKey, onKeyForgotten, storedKey, storeKey, takeKeyFromAddress } from './key-store.js';
import type { Endpoint } from './model/endpoint.js';

export interface Session {
  /** Empty: none has been entered. */
  readonly key: string;
  /** Whether it was entered to be kept in this browser. */
  readonly isKept?: boolean;
  /** The key that is tried next if the gateway does not accept the first one. */
  readonly otherwise?: string;
  /** What the key may call; absent before the gateway has accepted it. */
  readonly endpoints?: readonly Endpoint[];
  readonly problem?: Problem;
}

interface SessionControl {
  readonly session: Session;
  readonly enter: (key: string, isKept: boolean) => void;
  /** Forgets the key. @param problem why the gateway no longer accepts it */
  readonly leave: (problem?: Problem) => void;
  readonly onEndpoints: (endpoints: readonly Endpoint[]) => void;
}

/** The key of this tab and what it may call. A key in the address replaces a stored one only if the gateway accepts it. */
export function useSession(): SessionControl {
  const [session, setSession] = useState(() => withAddress({ key: storedKey() }));
  const { key, endpoints } = session;
  useEffect(() => {
    const follow = (): void => {
      setSession(withAddress);
    };
    addEventListener('popstate', follow);
    return () => {
      removeEventListener('popstate', follow);
    };
  }, []);
  useEffect(() => {
    if (key === '' || endpoints) return undefined;
    const controller = new AbortController();
    fetchEndpoints(key, controller.signal).then(
      (fetched) => {
        storeKey(key, session.isKept ?? false);
        setSession({ key, endpoints: fetched, ...(session.problem && { problem: session.problem }) });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setSession(afterFailure(session, problemOf(error)));
      },
    );
    return () => {
      controller.abort();
    };
  }, [key, endpoints]);
  const enter = useCallback((entered: string, isKept: boolean) => {
    setSession({ key: entered, isKept });
  }, []);
  const leave = useCallback(
    (problem?: Problem) => {
      forgetKey(key);
      setSession({ key: '', ...(problem && { problem }) });
    },
    [key],
  );
  useEffect(
    () =>
      onKeyForgotten(() => {
        leave();
      }),
    [leave],
  );
  const onEndpoints = useCallback((fetched: readonly Endpoint[]) => {
    setSession((before) => ({ ...before, endpoints: fetched }));
  }, []);
  return { session, enter, leave, onEndpoints };
}

function withAddress(session: Session): Session {
  const key = takeKeyFromAddress();
  return key === '' || key === session.key ? session : { key, otherwise: session.key };
}

/** Only 401 and 403 concern the key. After any other failure a stored key stays stored, and a reload tries it again. */
function afterFailure({ key, otherwise = '' }: Session, problem: Problem): Session {
  const concernsKey = problem.status === 401 || problem.status === 403;
  if (!concernsKey) return { key: '', problem };
  if (otherwise !== '') return { key: otherwise, problem };
  forgetKey(key);
  return { key: storedKey(), problem };
}
