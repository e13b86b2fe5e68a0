import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';

import { BASE } from '../api.js';
import { findingsCount, FindingsView } from '../development/findings.js';
import { SqlPanel } from '../development/sql-panel.js';
import { useShownSql } from '../development/use-shown-sql.js';
import type { Runner } from '../hooks.js';
import type { Address } from '../model/address.js';
import { SQL, type Endpoint, type Values } from '../model/endpoint.js';
import { onPage as ofPage, linkablePage, pageOf, requestOf, type EndpointRequest } from '../model/request.js';
import { snippetRequest } from '../snippets/index.js';
import { ColumnList } from './column-list.js';
import { Download } from './download.js';
import { ProblemNotice } from './problem-notice.js';
import { Refresh } from './refresh.js';
import { announcementOf, ResultView } from './result-view.js';
import { Share } from './share.js';
import { Snippets } from './snippets.js';
import { SqlCode } from './sql-code.js';
import { Tabs, type Tab } from './tabs.js';

interface Props {
  readonly endpoint: Endpoint;
  readonly run: Runner;
  readonly values: Values;
  readonly keyText: string;
  /** Address of the call with the values of the form and the current view. */
  readonly address: Address & { readonly values: Values; readonly view: Values };
  readonly onView: (view: Values) => void;
  /** Revision of the project, where the gateway runs in development. */
  readonly revision: string | undefined;
  readonly onRefresh: () => void;
  readonly onValues: (values: Values) => void;
  /** Requests another page of the result. */
  readonly onPage: (request: EndpointRequest) => void;
}

const sameValues = (one: Values, other: Values): boolean =>
  new URLSearchParams(one).toString() === new URLSearchParams(other).toString();

function noResultText({ running, problem }: Runner): string {
  if (running) return 'Running…';
  return problem ? 'No rows: the request failed, as shown above.' : 'Not run yet.';
}

/** The outcome of the last run, and tabs for the request. */
export function Outcome(props: Props): VNode {
  const { endpoint, run, values, keyText, address, onRefresh } = props;
  const { result, problem, running } = run;
  // The page that is shown, while the form has the values that it was called with.
  const shown = result && sameValues(result.request.values, values) ? pageOf(result.request) : undefined;
  const request = useMemo(
    () => ofPage(requestOf(endpoint, values), shown),
    [endpoint, values, shown?.cursor],
  );
  const names = endpoint.parameters.map(({ name }) => name);
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
      <div class={running ? 'stale' : ''}>
        <Tabs label="About this endpoint" tabs={useTabs(props)}>
          <Refresh onRefresh={onRefresh} />
          <Download endpoint={endpoint} request={request} keyText={keyText} />
          <Share
            endpoint={endpoint}
            address={{ ...address, page: linkablePage(endpoint, request) }}
            keyText={keyText}
          />
        </Tabs>
      </div>
    </section>
  );
}

function useTabs({
  endpoint,
  run,
  values,
  keyText,
  address: { view },
  revision,
  onView,
  onValues,
  onPage,
}: Props): readonly Tab[] {
  const { result } = run;
  const sql = useShownSql(endpoint, values, revision, keyText);
  const findings = sql.shown?.findings ?? null;
  const inDevelopment: readonly Tab[] = [
    { id: 'query', title: 'SQL', content: () => <SqlPanel {...sql} /> },
    {
      id: 'check',
      title: `Check${findingsCount(findings)}`,
      content: () => <FindingsView findings={findings} />,
    },
  ];
  const saved: Tab = {
    id: 'query',
    title: 'Saved query',
    content: () => <SqlCode label="Saved query" sql={endpoint.query} />,
  };
  return [
    {
      id: 'result',
      title: 'Result',
      content: () =>
        result ? (
          <ResultView {...{ endpoint, result, view, onView, onValues, onPage }} />
        ) : (
          <p class="hint">{noResultText(run)}</p>
        ),
    },
    ...(revision === undefined ? [saved] : inDevelopment),
    {
      id: 'columns',
      title: 'Columns',
      content: () => <ColumnList columns={endpoint.columns} />,
    },
    {
      id: 'snippets',
      title: 'Use it elsewhere',
      content: () => <Snippets request={snippetRequest(endpoint, values, BASE)} />,
    },
  ];
}
