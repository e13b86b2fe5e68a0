import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';

import { BASE } from '../api.js';
import { SqlPanel } from '../development/sql-panel.js';
import type { Go, Runner } from '../hooks.js';
import { toFragment, type Address } from '../model/address.js';
import type { DevelopmentState } from '../model/development.js';
import { duration, number } from '../model/display.js';
import {
  mostRows,
  SQL,
  type Caching,
  type Deprecation,
  type Endpoint,
  type Values,
} from '../model/endpoint.js';
import { requestOf, withoutSecrets } from '../model/request.js';
import { snippetRequest } from '../snippets/index.js';
import { useEndpointForm } from '../use-endpoint-form.js';
import { ColumnList } from './column-list.js';
import { CopyButton } from './copy-button.js';
import { Download } from './download.js';
import { ProblemNotice } from './problem-notice.js';
import { Refresh } from './refresh.js';
import { RequestForm } from './request-form.js';
import { announcementOf, ResultView } from './result-view.js';
import { Snippets } from './snippets.js';
import { SqlCode } from './sql-code.js';
import { Tabs, type Tab } from './tabs.js';
import { TimeRange } from './time-range.js';

interface Props {
  readonly endpoint: Endpoint;
  /** Whether the gateway still has it; only a gateway in development can lose one. */
  readonly isServed: boolean;
  /** All that the key may call. */
  readonly endpoints: readonly Endpoint[];
  readonly keyText: string;
  readonly address: Address;
  readonly go: Go;
  readonly development: DevelopmentState | undefined;
}

/** One endpoint: its description, its form and its result; in development also its SQL. */
export function EndpointPage(props: Props): VNode {
  const { endpoint, isServed, endpoints, keyText, development } = props;
  const version = development?.endpoints.find(({ name }) => name === endpoint.name)?.version;
  const { run, values, setValues, message, start, refresh } = useEndpointForm({ ...props, version });
  return (
    <article class="endpoint">
      <h1 tabIndex={-1}>{endpoint.name}</h1>
      <p class="lead">{endpoint.description}</p>
      {!isServed && <Removed name={endpoint.name} />}
      {endpoint.deprecated && <Deprecated {...endpoint.deprecated} go={props.go} />}
      <Settings endpoint={endpoint} />
      <TimeRange endpoint={endpoint} values={values} onRun={start} />
      <div class={development ? 'beside' : ''}>
        <RequestForm
          endpoint={endpoint}
          endpoints={endpoints}
          values={values}
          keyText={keyText}
          problem={run.problem}
          isRepeated={run.isRepeated ?? false}
          running={run.running}
          onValues={setValues}
          onRun={() => {
            start();
          }}
          onStop={run.stop}
        />
        {development && isServed && (
          <SqlPanel endpoint={endpoint} values={values} revision={development.revision} keyText={keyText} />
        )}
      </div>
      {message !== '' && (
        <p class="notice" role="status">
          {message}
        </p>
      )}
      <Outcome
        endpoint={endpoint}
        run={run}
        values={values}
        keyText={keyText}
        onRefresh={refresh}
        onValues={start}
      />
    </article>
  );
}

function Removed({ name }: { readonly name: string }): VNode {
  return (
    <p class="notice warn" role="status">
      <strong>{name} was removed.</strong> The gateway no longer serves it: its file was removed, or it has
      another name. The form keeps its values until you leave this page.
    </p>
  );
}

function Deprecated({
  since,
  sunset,
  successor,
  goneAfterSunset,
  go,
}: Deprecation & Pick<Props, 'go'>): VNode {
  const day = (iso: string): string => iso.slice(0, 10);
  return (
    <p class="notice warn">
      <strong>Deprecated as of {day(since)}.</strong>
      {sunset !== undefined && ` It ${goneAfterSunset ? 'is' : 'may be'} removed as of ${day(sunset)}.`}
      {successor !== undefined && (
        <>
          {' Use '}
          <a
            href={toFragment({ endpoint: successor })}
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              go({ endpoint: successor });
            }}
          >
            {successor}
          </a>
          {' instead.'}
        </>
      )}
    </p>
  );
}

function cachingText(caching: Caching): string {
  if (caching === 'disabled') return 'disabled';
  if (typeof caching === 'number') return duration(caching);
  const check = caching === 'until-changed' ? 1 : caching.check;
  return `until the data changes, checked every ${duration(check)}`;
}

function Settings({ endpoint }: { readonly endpoint: Endpoint }): VNode {
  const { caching, warming, sandboxing } = endpoint;
  const settings = [
    ['Rows', `at most ${number(mostRows(endpoint))}`],
    ['Caching', cachingText(caching)],
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
  readonly run: Runner;
  readonly values: Values;
  readonly keyText: string;
  readonly onRefresh: () => void;
  readonly onValues: (values: Values) => void;
}

function noResultText({ running, problem }: Runner): string {
  if (running) return 'Running…';
  return problem ? 'No rows: the request failed, as shown above.' : 'Not run yet.';
}

/** The outcome of the last run, and tabs for the request. */
function Outcome({ endpoint, run, values, keyText, onRefresh, onValues }: OutcomeProps): VNode {
  const { result, problem, running } = run;
  const request = useMemo(() => requestOf(endpoint, values), [endpoint, values]);
  const names = endpoint.parameters.map(({ name }) => name);
  const tabs: readonly Tab[] = [
    {
      id: 'result',
      title: 'Result',
      content: () =>
        result ? (
          <ResultView endpoint={endpoint} result={result} onPage={run.start} onValues={onValues} />
        ) : (
          <p class="hint">{noResultText(run)}</p>
        ),
    },
    {
      id: 'query',
      title: 'Saved query',
      content: () => <SqlCode label="Saved query" sql={endpoint.query} />,
    },
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
        <Refresh onRefresh={onRefresh} />
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
