import type { VNode } from 'preact';

import type { Go, RequestedResult } from '../hooks.js';
import type { KeptAddresses } from '../use-kept-addresses.js';
import type { Address } from '../model/address.js';
import type { DevelopmentState } from '../model/development.js';
import { duration, number } from '../model/display.js';
import { mostRows, type Caching, type Deprecation, type Endpoint } from '../model/endpoint.js';
import { withoutSecrets } from '../model/request.js';
import { bucketsOfRows } from '../model/chartable.js';
import type { Buckets } from '../model/time-buckets.js';
import { zoneOf } from '../model/time-range.js';
import { useEndpointForm } from '../use-endpoint-form.js';
import { useView } from '../use-view.js';
import { AddressLink } from './address-link.js';
import { Outcome } from './outcome.js';
import { RequestForm } from './request-form.js';
import { columnsOf } from './result-view.js';
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
  readonly kept: KeptAddresses;
}

/** One endpoint: its description, its form and its result; in development also its SQL. */
export function EndpointPage(props: Props): VNode {
  const { endpoint, isServed, endpoints, keyText, development, kept } = props;
  const [view, onView] = useView(props);
  const version = development?.endpoints.find(({ name }) => name === endpoint.name)?.version;
  const { run, values, setValues, message, start, refresh, turn } = useEndpointForm({
    ...props,
    view,
    onCall: kept.noteCall,
    version,
  });
  const address = { endpoint: endpoint.name, values: withoutSecrets(endpoint, values), view };
  return (
    <article class="endpoint">
      <Title endpoint={endpoint} address={address} kept={kept} />
      <p class="lead">{endpoint.description}</p>
      {!isServed && <Removed name={endpoint.name} />}
      {endpoint.deprecated && <Deprecated {...endpoint.deprecated} go={props.go} />}
      <Settings endpoint={endpoint} />
      <TimeRange
        {...{ endpoint, values }}
        bucketsOf={() => run.result && bucketsOfResult(endpoint, run.result)}
        onRun={start}
      />
      <RequestForm
        {...{ endpoint, endpoints, values, keyText }}
        problem={run.problem}
        isRepeated={run.isRepeated ?? false}
        running={run.running}
        onValues={setValues}
        onRun={() => {
          start();
        }}
        onStop={run.stop}
      />
      {message !== '' && (
        <p class="notice" role="status">
          {message}
        </p>
      )}
      <Outcome
        {...{ endpoint, run, values, keyText, address, onView }}
        onPage={turn}
        revision={isServed ? development?.revision : undefined}
        onRefresh={refresh}
        onValues={start}
      />
    </article>
  );
}

const bucketsOfResult = (endpoint: Endpoint, result: RequestedResult): Buckets | undefined =>
  bucketsOfRows(columnsOf(endpoint, result), result.rows, zoneOf(endpoint, result.request.values));

type TitleProps = Pick<Props, 'endpoint' | 'address' | 'kept'>;

function Title({ endpoint, address, kept }: TitleProps): VNode {
  const isFavourite = kept.isFavourite(address);
  return (
    <div class="title">
      <h1 tabIndex={-1}>{endpoint.name}</h1>
      <button
        type="button"
        class="quiet star"
        aria-pressed={isFavourite}
        title="Lists this call, with these values, among the favourites of this browser"
        onClick={() => {
          kept.toggleFavourite(address);
        }}
      >
        {isFavourite ? '★' : '☆'} Favourite
      </button>
    </div>
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
          <AddressLink to={{ endpoint: successor }} go={go}>
            {successor}
          </AddressLink>
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
  const { caching, warming, sandboxing, tables = false } = endpoint;
  const settings = [
    ['Rows', `at most ${number(mostRows(endpoint))}`],
    ['Caching', cachingText(caching)],
    ['Warming', warming === 0 ? 'never' : `every ${duration(warming)}`],
    ['Own SQL', sandboxing],
    ...(tables ? [['SQL table', 'yes'] as const] : []),
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
