import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { ProblemError, run, type Problem, type Result } from './api.js';
import { fromFragment, toFragment, type Address } from './model/address.js';
import type { Values } from './model/endpoint.js';
import type { EndpointRequest } from './model/request.js';

/** Goes to another address. `replace` leaves no way back to the present one. */
export type Go = (to: Address, how?: 'push' | 'replace') => void;

/** The address, and a function to go to another one; follows the browser's back and forward. */
export function useAddress(): readonly [Address, Go] {
  const [address, setAddress] = useState(() => fromFragment(location.hash));
  useEffect(() => {
    const follow = (): void => {
      setAddress(fromFragment(location.hash));
    };
    addEventListener('popstate', follow);
    return () => {
      removeEventListener('popstate', follow);
    };
  }, []);
  const go = useCallback<Go>((to, how = 'push') => {
    const fragment = toFragment(to);
    if (how === 'replace') history.replaceState(null, '', fragment);
    else if (fragment !== location.hash) history.pushState(null, '', fragment);
    setAddress(to);
  }, []);
  return [address, go];
}

/** A result and the request that returned it; the form may have changed since. */
export interface RequestedResult extends Result {
  readonly request: EndpointRequest;
}

export interface RunState {
  readonly running: boolean;
  readonly result?: RequestedResult;
  readonly problem?: Problem;
  /** Whether the page, not its user, made the request. */
  readonly isRepeated?: boolean;
  /** When the problem came, in milliseconds since 1970. */
  readonly endedAt?: number;
}

export interface Runner extends RunState {
  readonly start: (request: EndpointRequest) => void;
  /** Runs the last request again, by the present declaration of its endpoint; returns whether there was one. */
  readonly repeat: (requestOf: (values: Values) => EndpointRequest) => boolean;
  readonly stop: () => void;
  readonly clear: () => void;
}

const IDLE: RunState = { running: false };

/** Runs one request at a time: a new request aborts the previous one. */
export function useRun(key: string): Runner {
  const [state, setState] = useState<RunState>(IDLE);
  const current = useRef<AbortController>(null);
  const last = useRef<EndpointRequest>(null);
  const clear = useCallback(() => {
    current.current?.abort();
    last.current = null;
    setState(IDLE);
  }, []);
  const stop = useCallback(() => {
    current.current?.abort();
    setState(({ result }) => ({ running: false, ...(result && { result }) }));
  }, []);
  const send = useCallback(
    (request: EndpointRequest, isRepeated: boolean) => {
      current.current?.abort();
      const controller = new AbortController();
      current.current = controller;
      last.current = request;
      setState(({ result }) => ({ running: true, ...(result && { result }) }));
      run(request, key, controller.signal).then(
        (result) => {
          if (!controller.signal.aborted) setState({ running: false, result: { ...result, request } });
        },
        (error: unknown) => {
          if (controller.signal.aborted) return;
          const failed = { running: false, problem: problemOf(error), isRepeated, endedAt: Date.now() };
          // A failed automatic repetition keeps the rows of the last result.
          setState(({ result }) => ({ ...failed, ...(isRepeated && result && { result }) }));
        },
      );
    },
    [key],
  );
  const start = useCallback(
    (request: EndpointRequest) => {
      send(request, false);
    },
    [send],
  );
  const repeat = useCallback(
    (requestOf: (values: Values) => EndpointRequest) => {
      if (!last.current) return false;
      send(requestOf(last.current.values), true);
      return true;
    },
    [send],
  );
  useEffect(() => () => current.current?.abort(), []);
  return { ...state, start, repeat, stop, clear };
}

/** The problem to show. An error that is not a ProblemError comes from reading the response. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  const detail = error instanceof Error ? error.message : String(error);
  return { status: 0, title: 'The response can’t be read', detail, code: '', requestId: '', problems: [] };
}
