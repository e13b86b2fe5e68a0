import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { BASE } from '../api.js';
import { useRun, type Go, type RunState } from '../hooks.js';
import { toFragment, type Address } from '../model/address.js';
import { duration, number } from '../model/display.js';
import { mostRows, SQL, type Endpoint, type Values } from '../model/endpoint.js';
import { requestOf, secretsOf, withoutSecrets } from '../model/request.js';
import { snippetRequest } from '../snippets/index.js';
import { ColumnList } from './column-list.js';
import { CopyButton } from './copy-button.js';
import { Download } from './download.js';
import { ProblemNotice } from './problem-notice.js';
import { RequestForm } from './request-form.js';
import { announcementOf, ResultView } from './result-view.js';
import { SavedQuery } from './saved-query.js';
import { Snippets } from './snippets.js';
import { Tabs, type Tab } from './tabs.js';

interface Props {
  readonly endpoint: Endpoint;
  /** All that the key may call. */
  readonly endpoints: readonly Endpoint[];
  readonly keyText: string;
  readonly address: Address;
  readonly go: Go;
}

/** One endpoint: its description, its form and its result. */
export function EndpointPage({ endpoint, endpoints, keyText, address, go }: Props): VNode {
  const run = useRun(keyText);
  const [values, setValues] = useState<Values>({});
  const [unconfirmed, setUnconfirmed] = useState('');
  const ran = useRef('');
  const fragment = toFragment(address);
  useEffect(() => {
    if (ran.current === fragment) return;
    const linked = address.values && withoutSecrets(endpoint, declared(endpoint, address.values));
    if (secretsOf(endpoint.parameters).some((name) => address.values?.[name] !== undefined)) {
      // A link that was made by hand; its secret must not stay in the address bar.
      go({ ...address, values: linked }, 'replace');
      return;
    }
    setValues(linked ?? endpoint.example);
    run.clear();
    const reason = linked ? reasonToWait(endpoint, linked) : '';
    setUnconfirmed(reason);
    if (linked && reason === '') run.start(requestOf(endpoint, linked));
    ran.current = fragment;
  }, [fragment]);
  const start = (): void => {
    const shared = { endpoint: endpoint.name, values: withoutSecrets(endpoint, values) };
    setUnconfirmed('');
    ran.current = toFragment(shared);
    go(shared);
    run.start(requestOf(endpoint, values));
  };
  return (
    <article class="endpoint">
      <h1 tabIndex={-1}>{endpoint.name}</h1>
      <p class="lead">{endpoint.description}</p>
      <Settings endpoint={endpoint} />
      <RequestForm
        endpoint={endpoint}
        endpoints={endpoints}
        values={values}
        keyText={keyText}
        problem={run.problem}
        running={run.running}
        onValues={setValues}
        onRun={start}
        onStop={run.stop}
      />
      {unconfirmed !== '' && (
        <p class="notice" role="status">
          {unconfirmed}
        </p>
      )}
      <Outcome endpoint={endpoint} run={run} values={values} keyText={keyText} />
    </article>
  );
}

/** The values of an address, without those that the endpoint does not declare. */
function declared({ parameters, sandboxing }: Endpoint, values: Values): Values {
  const names = new Set(parameters.map(({ name }) => name));
  if (sandboxing === 'enabled') names.add(SQL);
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}

/** Why a link does not run by itself; empty where it does. */
function reasonToWait({ parameters }: Endpoint, linked: Values): string {
  if (linked[SQL] !== undefined) return 'This link contains SQL. Read it, then press Run.';
  const secrets = secretsOf(parameters).join(', ');
  return secrets === ''
    ? ''
    : `This link has no secret values (${secrets}). Complete the form, then press Run.`;
}

function Settings({ endpoint }: { readonly endpoint: Endpoint }): VNode {
  const { caching, warming, sandboxing } = endpoint;
  const settings = [
    ['Rows', `at most ${number(mostRows(endpoint))}`],
    ['Caching', caching === 'disabled' ? 'disabled' : duration(caching)],
    ['Warming', warming === 0 ? 'never' : `every ${duration(warming)}`],
    ['Own SQL', sandboxing],
  ] as const;
  return (
    <dl class="facts">
      {settings.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface OutcomeProps {
  readonly endpoint: Endpoint;
  readonly run: RunState;
  readonly values: Values;
  readonly keyText: string;
}

/** The outcome of the last run, and tabs for the request. */
function Outcome({ endpoint, run, values, keyText }: OutcomeProps): VNode {
  const { result, problem, running } = run;
  const request = useMemo(() => requestOf(endpoint, values), [endpoint, values]);
  const names = endpoint.parameters.map(({ name }) => name);
  const tabs: readonly Tab[] = [
    {
      id: 'result',
      title: 'Result',
      content: () =>
        result ? (
          <ResultView endpoint={endpoint} result={result} />
        ) : (
          <p class="hint">{running ? 'Running…' : 'Not run yet.'}</p>
        ),
    },
    { id: 'query', title: 'Saved query', content: () => <SavedQuery sql={endpoint.query} /> },
    { id: 'columns', title: 'Columns', content: () => <ColumnList columns={endpoint.columns} /> },
    {
      id: 'snippets',
      title: 'Use it elsewhere',
      content: () => <Snippets request={snippetRequest(endpoint, values, BASE)} />,
    },
  ];
  return (
    <section class="outcome" aria-label="Outcome" aria-busy={running}>
      <p class="unseen" role="status">
        {running ? 'Running' : result ? announcementOf(result) : ''}
      </p>
      {problem && (
        <ProblemNotice
          problem={problem}
          elsewhere={endpoint.sandboxing === 'enabled' ? [...names, SQL] : names}
        />
      )}
      <div class="toolbar">
        <Download endpoint={endpoint} request={request} keyText={keyText} />
        <CopyButton
          label="Copy link"
          text={() =>
            new URL(
              toFragment({ endpoint: endpoint.name, values: withoutSecrets(endpoint, values) }),
              location.href,
            ).href
          }
        />
      </div>
      <div class={running ? 'stale' : ''}>
        <Tabs label="About this endpoint" tabs={tabs} />
      </div>
    </section>
  );
}
