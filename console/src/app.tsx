import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { Banner } from './development/banner.js';
import { ChosenEditor, EditorChoice, storedEditor } from './development/editor.js';
import { useDevelopment } from './development/use-development.js';
import { useAddress, type Go } from './hooks.js';
import { useKeptAddresses } from './use-kept-addresses.js';
import type { Address } from './model/address.js';
import { marksOf, type DevelopmentState } from './model/development.js';
import type { Endpoint } from './model/endpoint.js';
import { AddressList } from './parts/address-list.js';
import { EndpointList } from './parts/endpoint-list.js';
import { EndpointPage } from './parts/endpoint-page.js';
import { KeyEntry } from './parts/key-entry.js';
import { ProblemNotice } from './parts/problem-notice.js';
import { ThemeSwitch } from './parts/theme-switch.js';
import { ZoneSwitch } from './parts/zone-switch.js';
import { useSession } from './use-session.js';
import { storedZone, Zone } from './chosen-zone.js';

/** The console: first the form for the key, then the endpoints that the key may call. */
export function App(): VNode {
  const { session, enter, leave, onEndpoints } = useSession();
  const [address, go] = useAddress();
  const [editor, setEditor] = useState(storedEditor);
  const [zone, setZone] = useState(storedZone);
  const { key, endpoints, problem } = session;
  const following = useDevelopment(endpoints ? key : '', { onEndpoints, onRejected: leave });
  return (
    <Zone.Provider value={zone}>
      <ChosenEditor.Provider value={editor}>
        <header class="top">
          <a class="brand" href="#/" onClick={toStart(go)}>
            Querygate
          </a>
          <span class="grow" />
          {following.state && <EditorChoice onEditor={setEditor} />}
          {endpoints && (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                leave();
              }}
            >
              Forget key
            </button>
          )}
          <ZoneSwitch onZone={setZone} />
          <ThemeSwitch />
        </header>
        {endpoints ? (
          <>
            {problem && <KeyNotAccepted detail={problem.detail} />}
            <Banner {...following} />
            <Console keyText={key} development={following.state} {...{ endpoints, address, go }} />
          </>
        ) : (
          <KeyEntry checking={key !== ''} problem={problem} onKey={enter} />
        )}
      </ChosenEditor.Provider>
    </Zone.Provider>
  );
}

const toStart =
  (go: Go) =>
  (event: Event): void => {
    event.preventDefault();
    go({ endpoint: '' });
  };

function KeyNotAccepted({ detail }: { readonly detail: string }): VNode {
  return (
    <p class="notice warn" role="status">
      The gateway does not accept the other key: {detail} This page uses the key that was entered before.
    </p>
  );
}

interface ConsoleProps {
  readonly keyText: string;
  readonly endpoints: readonly Endpoint[];
  readonly address: Address;
  readonly go: Go;
  /** State of a gateway in development; undefined for any other. */
  readonly development: DevelopmentState | undefined;
}

function Console({ keyText, endpoints, address, go, development }: ConsoleProps): VNode {
  const { endpoint, isServed } = useShownEndpoint(endpoints, address.endpoint);
  const kept = useKeptAddresses();
  const callable = (addresses: readonly Address[]): readonly Address[] =>
    addresses.filter(({ endpoint: one }) => endpoints.some((served) => served.name === one));
  const favourites = callable(kept.favourites);
  const marks = useMemo(() => development && marksOf(development.endpoints), [development]);
  const wasChosen = useRef(false);
  const name = endpoint?.name;
  useEffect(() => {
    document.title = name === undefined ? 'Querygate' : `${name} – Querygate`;
    // Otherwise a keyboard user would have to pass the rest of a long list to reach the chosen endpoint.
    if (wasChosen.current) document.querySelector<HTMLElement>('main h1')?.focus();
    wasChosen.current = false;
  }, [name]);
  const choose = (to: Address): void => {
    wasChosen.current = true;
    go(to);
  };
  return (
    <div class={`columns ${endpoint ? 'with-endpoint' : ''}`}>
      <EndpointList endpoints={endpoints} current={name ?? ''} {...{ favourites, marks }} go={choose} />
      <main>
        {endpoint ? (
          <EndpointPage
            key={endpoint.name}
            {...{ endpoint, isServed, endpoints, keyText, address, go, development, kept }}
          />
        ) : (
          <Start
            name={address.endpoint}
            count={endpoints.length}
            recent={callable(kept.recent)}
            onForget={kept.forgetRecent}
            go={choose}
          />
        )}
      </main>
    </div>
  );
}

/** The endpoint of an address. One that was shown stays when it is removed, so that its form loses no value. */
function useShownEndpoint(
  endpoints: readonly Endpoint[],
  address: string,
): { readonly endpoint: Endpoint | undefined; readonly isServed: boolean } {
  const shown = useRef<Endpoint>(null);
  const isNamed = (endpoint: Endpoint | null): boolean =>
    endpoint?.name === address || endpoint?.id === address;
  const served = endpoints.find(isNamed);
  shown.current = served ?? (isNamed(shown.current) ? shown.current : null);
  return { endpoint: shown.current ?? undefined, isServed: served !== undefined };
}

interface StartProps {
  readonly name: string;
  readonly count: number;
  /** The last calls of this browser. */
  readonly recent: readonly Address[];
  readonly onForget: () => void;
  readonly go: Go;
}

function Start({ name, count, recent, onForget, go }: StartProps): VNode {
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
      {recent.length > 0 && (
        <section aria-label="Last calls">
          <h2>Last calls</h2>
          <AddressList addresses={recent} go={go} />
          <button type="button" class="quiet" onClick={onForget}>
            Forget these calls
          </button>
        </section>
      )}
    </div>
  );
}
