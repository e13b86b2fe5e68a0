import { useEffect, useRef, useState } from 'preact/hooks';

import { fetchDevelopmentEndpoint, type Problem } from '../api.js';
import { problemOf } from '../hooks.js';
import { shownValues, type DevelopmentEndpoint } from '../model/development.js';
import type { Endpoint, Values } from '../model/endpoint.js';

/** Milliseconds to wait after the last key press. */
const TYPING_PAUSE_MS = 250;

export interface ShownSql {
  /** The SQL for the last valid values. */
  readonly shown?: DevelopmentEndpoint;
  /** Why the values of the form have no SQL. */
  readonly problem?: Problem;
}

/**
 * The SQL of an endpoint for the values of its form; fetched again when they, or the revision of the project, change.
 *
 * @param revision undefined outside of development, where there is nothing to fetch.
 */
export function useShownSql(
  endpoint: Endpoint,
  values: Values,
  revision: string | undefined,
  key: string,
): ShownSql {
  const [state, setState] = useState<ShownSql>({});
  const query = new URLSearchParams(shownValues(endpoint, values)).toString();
  const fetched = useRef(query);
  useEffect(() => {
    if (revision === undefined) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(
      () => {
        fetched.current = query;
        fetchDevelopmentEndpoint(endpoint.name, query, key, controller.signal).then(
          (shown) => {
            if (!controller.signal.aborted) setState({ shown });
          },
          (error: unknown) => {
            if (controller.signal.aborted) return;
            setState(({ shown }) => ({ ...(shown && { shown }), problem: problemOf(error) }));
          },
        );
      },
      fetched.current === query ? 0 : TYPING_PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [endpoint.name, query, revision, key]);
  return state;
}
