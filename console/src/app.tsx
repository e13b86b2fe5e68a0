import type { VNode } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { fetchEndpoints, type Problem } from './api.js';
import { problemOf, useAddress, type Go } from './hooks.js';
import { forgetKey, storeKey, storedKey } from './key-store.js';
import type { Address } from './model/address.js';
import type { Endpoint } from './model/endpoint.js';
import { EndpointList } from './parts/endpoint-list.js';
import { EndpointPage } from './parts/endpoint-page.js';
import { KeyEntry } from './parts/key-entry.js';
import { ProblemNotice } from './parts/problem-notice.js';
import { ThemeSwitch } from './parts/theme-switch.js';

interface Session {
  readonly key: string;
  readonly endpoints?: readonly Endpoint[];
  readonly problem?: Problem;
}

/** The console: first the form for the key, then the endpoints that the key may call. */
export function App(): VNode {
  const [session, setSession] = useState<Session>(() => ({ key: storedKey() }));
  const [address, go] = useAddress();
  const { key, endpoints, problem } = session;
  useEffect(() => {
    if (key === '' || endpoints) return undefined;
    const controller = new AbortController();
    fetchEndpoints(key, controller.signal).then(
      (fetched) => {
        storeKey(key);
        setSession({ key, endpoints: fetched });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        const problem = problemOf(error);
        // Only 401 and 403 concern the key. After any other failure it stays stored, and a reload tries it again.
        if (problem.status === 401 || problem.status === 403) forgetKey();
        setSession({ key: '', problem });
      },
    );
    return () => {
      controller.abort();
    };
  }, [key, endpoints]);
  const forget = useCallback(() => {
    forgetKey();
    setSession({ key: '' });
  }, []);
  return (
    <>
      <header class="top">
        <a class="brand" href="#/" onClick={toStart(go)}>
          Querygate
        </a>
        <span class="grow" />
        {endpoints && (
          <button type="button" class="quiet" onClick={forget}>
            Forget key
          </button>
        )}
        <ThemeSwitch />
      </header>
      {endpoints ? (
        <Console keyText={key} endpoints={endpoints} address={address} go={go} />
      ) : (
        <KeyEntry
          checking={key !== ''}
          problem={problem}
          onKey={(entered) => {
            setSession({ key: entered });
          }}
        />
      )}
    </>
  );
}

const toStart =
  (go: Go) =>
  (event: Event): void => {
    event.preventDefault();
    go({ endpoint: '' });
  };

interface ConsoleProps {
  readonly keyText: string;
  readonly endpoints: readonly Endpoint[];
  readonly address: Address;
  readonly go: Go;
}

function Console({ keyText, endpoints, address, go }: ConsoleProps): VNode {
  const endpoint = endpoints.find(({ name, id }) => name === address.endpoint || id === address.endpoint);
  const wasChosen = useRef(false);
  useEffect(() => {
    document.title = endpoint ? `${endpoint.name} – Querygate` : 'Querygate';
    // Otherwise the keyboard would have to pass the rest of a long list to reach what was chosen in it.
    if (wasChosen.current) document.querySelector<HTMLElement>('main h1')?.focus();
    wasChosen.current = false;
  }, [endpoint]);
  const choose = (to: Address): void => {
    wasChosen.current = true;
    go(to);
  };
  return (
    <div class={`columns ${endpoint ? 'with-endpoint' : ''}`}>
      <EndpointList endpoints={endpoints} current={endpoint?.name ?? ''} go={choose} />
      <main>
        {endpoint ? (
          <EndpointPage key={endpoint.name} {...{ endpoint, endpoints, keyText, address, go }} />
        ) : (
          <Start name={address.endpoint} count={endpoints.length} />
        )}
      </main>
    </div>
  );
}

function Start({ name, count }: { readonly name: string; readonly count: number }): VNode {
  if (name !== '') {
    const detail = `This key may call no endpoint named ${name}. Another key may, or the endpoint was renamed.`;
    return (
      <ProblemNotice
        problem={{ status: 404, title: 'No such endpoint', detail, code: '', requestId: '', problems: [] }}
      />
    );
  }
  return (
    <div class="start">
      <h1>Saved queries</h1>
      <p>
        {count === 0
          ? 'This key may call no endpoint.'
          : `This key may call ${count} ${count === 1 ? 'endpoint' : 'endpoints'}. Choose one to see what it returns, fill in its parameters, and run it.`}
      </p>
    </div>
  );
}
