import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { ProblemError, run, type Problem, type Question, type Result } from './api.js';
import { fromFragment, toFragment, type Address } from './model/address.js';

/** The address, and how to go to another one; back and forward are heeded. */
export function useAddress(): readonly [Address, (to: Address) => void] {
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
  const go = useCallback((to: Address) => {
    const fragment = toFragment(to);
    if (fragment !== location.hash) history.pushState(null, '', fragment);
    setAddress(to);
  }, []);
  return [address, go];
}

/** An answer with the question that it answers, which may not be the one in the form any more. */
export interface Answered extends Result {
  readonly question: Question;
}

export interface RunState {
  readonly running: boolean;
  readonly answered?: Answered;
  readonly problem?: Problem;
}

export interface Runner extends RunState {
  readonly start: (question: Question) => void;
  readonly stop: () => void;
  readonly clear: () => void;
}

const IDLE: RunState = { running: false };

/** Runs one question at a time: a new one ends the one before. */
export function useRun(key: string): Runner {
  const [state, setState] = useState<RunState>(IDLE);
  const current = useRef<AbortController>(null);
  const clear = useCallback(() => {
    current.current?.abort();
    setState(IDLE);
  }, []);
  const stop = useCallback(() => {
    current.current?.abort();
    setState(({ answered }) => ({ running: false, ...(answered && { answered }) }));
  }, []);
  const start = useCallback(
    (question: Question) => {
      current.current?.abort();
      const controller = new AbortController();
      current.current = controller;
      setState(({ answered }) => ({ running: true, ...(answered && { answered }) }));
      run(question, key, controller.signal).then(
        (result) => {
          if (!controller.signal.aborted) setState({ running: false, answered: { ...result, question } });
        },
        (error: unknown) => {
          if (!controller.signal.aborted) setState({ running: false, problem: problemOf(error) });
        },
      );
    },
    [key],
  );
  useEffect(() => () => current.current?.abort(), []);
  return { ...state, start, stop, clear };
}

/** What to tell of an error of any kind. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  const detail = error instanceof Error ? error.message : String(error);
  return { status: 0, title: 'The answer can’t be read', detail, code: '', requestId: '', problems: [] };
}
