import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { BASE } from '../api.js';
import { useRun, type RunState } from '../hooks.js';
import { toFragment, type Address } from '../model/address.js';
import { duration, number } from '../model/display.js';
import { mostRows, SQL, type Endpoint, type Values } from '../model/endpoint.js';
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
  readonly keyText: string;
  readonly address: Address;
  readonly go: (to: Address) => void;
}

/** One endpoint: its description, its form and its result. */
export function EndpointPage({ endpoint, keyText, address, go }: Props): VNode {
  const run = useRun(keyText);
  const [values, setValues] = useState<Values>({});
  const [isUnconfirmed, setUnconfirmed] = useState(false);
  const ran = useRef('');
  const fragment = toFragment(address);
  useEffect(() => {
    if (ran.current === fragment) return;
    const linked = address.values ? declared(endpoint, address.values) : undefined;
    setValues(linked ?? endpoint.example);
    run.clear();
    // A person reads the SQL of a link before it runs.
    setUnconfirmed(linked?.[SQL] !== undefined);
    if (linked && linked[SQL] === undefined) run.start({ endpoint: endpoint.name, values: linked });
    ran.current = fragment;
  }, [fragment]);
  const start = (): void => {
    setUnconfirmed(false);
    ran.current = toFragment({ endpoint: endpoint.name, values });
    go({ endpoint: endpoint.name, values });
    run.start({ endpoint: endpoint.name, values });
  };
  return (
    <article class="endpoint">
      <h1 tabIndex={-1}>{endpoint.name}</h1>
      <p class="lead">{endpoint.description}</p>
      <Settings endpoint={endpoint} />
      <RequestForm
        endpoint={endpoint}
        values={values}
        problem={run.problem}
        running={run.running}
        onValues={setValues}
        onRun={start}
        onStop={run.stop}
      />
      {isUnconfirmed && (
        <p class="notice" role="status">
          This link contains SQL. Read it, then press Run.
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
  const request = useMemo(() => ({ endpoint: endpoint.name, values }), [endpoint, values]);
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
      content: () => <Snippets request={{ endpoint, values, base: BASE }} />,
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
          text={() => new URL(toFragment({ endpoint: endpoint.name, values }), location.href).href}
        />
      </div>
      <div class={running ? 'stale' : ''}>
        <Tabs label="About this endpoint" tabs={tabs} />
      </div>
    </section>
  );
}
