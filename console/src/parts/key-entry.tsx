import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Problem } from '../api.js';

interface Props {
  readonly checking: boolean;
  readonly problem: Problem | undefined;
  readonly onKey: (key: string, isKept: boolean) => void;
}

/** The form for the key, which is all that a first visit needs. */
export function KeyEntry({ checking, problem, onKey }: Props): VNode {
  const [text, setText] = useState('');
  const [isKept, setKept] = useState(true);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!checking) field.current?.focus();
  }, [checking, problem]);
  const submit = (event: Event): void => {
    event.preventDefault();
    const key = text.trim();
    if (key !== '') onKey(key, isKept);
  };
  return (
    <main class="key-entry">
      <h1>Your API key</h1>
      <p>It decides which endpoints and which rows you see.</p>
      <form onSubmit={submit}>
        <label for="key">API key</label>
        <input
          ref={field}
          id="key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={text}
          aria-describedby={problem ? 'key-problem key-hint' : 'key-hint'}
          aria-invalid={problem !== undefined}
          onInput={(event) => {
            setText(event.currentTarget.value);
          }}
        />
        {problem && (
          <p id="key-problem" class="field-problem" role="alert">
            {problem.title}. {problem.detail}
            {problem.retryAfter !== undefined && ` Try again in ${problem.retryAfter} s.`}
          </p>
        )}
        <p id="key-hint" class="hint">
          It is never part of an address. A gateway without configured keys prints one on its terminal when it
          starts.
        </p>
        <label class="keep">
          <input
            type="checkbox"
            checked={isKept}
            onChange={(event) => {
              setKept(event.currentTarget.checked);
            }}
          />{' '}
          Keep it in this browser, so that links open with it, until I press “Forget key”
        </label>
        <button type="submit" class="primary" disabled={checking || text.trim() === ''}>
          {checking ? 'Checking…' : 'Open the console'}
        </button>
      </form>
    </main>
  );
}
