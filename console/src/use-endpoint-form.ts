import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { useRun, type Go, type Runner } from './hooks.js';
import { toFragment, type Address } from './model/address.js';
import { SQL, type Endpoint, type Values } from './model/endpoint.js';
import {
  declaredValues,
  inOrder,
  linkablePage,
  onPage,
  refusedValues,
  requestOf,
  secretsOf,
  withoutSecrets,
  type EndpointRequest,
} from './model/request.js';

interface FormOptions {
  readonly endpoint: Endpoint;
  readonly keyText: string;
  readonly address: Address;
  readonly go: Go;
  /** How the result is shown. */
  readonly view: Values;
  /** Called with the address of each call that this page makes, except refreshes. */
  readonly onCall: (address: Address) => void;
  /** Changes with the endpoint; undefined outside of development, and where the endpoint is not served. */
  readonly version: string | undefined;
}

export interface EndpointForm {
  readonly run: Runner;
  readonly values: Values;
  readonly setValues: (values: Values) => void;
  /** What happened to the form without its user, or what its user has to do; empty for nothing. */
  readonly message: string;
  /** @param given values that replace those of the form */
  readonly start: (given?: Values) => void;
  readonly refresh: () => void;
  /** Requests another page of the result. */
  readonly turn: (request: EndpointRequest) => void;
}

/** The values of an endpoint's form and the run of its request. Follows the address, and changes of the endpoint. */
export function useEndpointForm({
  endpoint,
  keyText,
  address,
  go,
  view,
  onCall,
  version,
}: FormOptions): EndpointForm {
  const run = useRun(keyText);
  const [entered, setValues] = useState(() => linkedValues(endpoint, address) ?? endpoint.example);
  // A value of a parameter that a change removes is there again when the change is undone.
  const values = useMemo(() => declaredValues(endpoint, entered), [endpoint, entered]);
  const [message, setMessage] = useState('');
  const ran = useRef('');
  // How the result is shown makes no other call.
  const fragment = toFragment({ ...address, view: undefined });
  useEffect(() => {
    if (ran.current === fragment) return;
    const linked = linkedValues(endpoint, address);
    if (secretsOf(endpoint.parameters).some((name) => address.values?.[name] !== undefined)) {
      // A link that was made by hand; its secret must not stay in the address bar.
      go({ ...address, values: linked }, 'replace');
      return;
    }
    const opened = linked ?? endpoint.example;
    setValues(opened);
    run.clear();
    const reason = reasonToWait(endpoint, opened, { what: linked ? 'This link' : 'The example', ...address });
    setMessage(reason);
    if (reason === '') {
      run.start(onPage(requestOf(endpoint, opened), linked && address.page));
      if (linked) onCall({ endpoint: endpoint.name, values: linked });
    }
    ran.current = fragment;
  }, [fragment]);
  useOnChange(version, () => {
    const isRepeated = run.repeat((last) => requestOf(endpoint, declaredValues(endpoint, last)));
    const what = isRepeated ? `${endpoint.name} changed, and the last request ran again.` : '';
    setMessage(`Reloaded: ${what || `${endpoint.name} changed.`}`);
  });
  const refresh = (): void => {
    if (mayRefresh(run)) run.repeat((last) => requestOf(endpoint, declaredValues(endpoint, last)));
  };
  const turn = (request: EndpointRequest): void => {
    const shared = addressOf(endpoint, request);
    ran.current = toFragment(shared);
    go({ ...shared, view });
    run.start(request);
  };
  const start = (entered = values): void => {
    const given = inOrder(endpoint, entered);
    setValues(given);
    setMessage('');
    turn(requestOf(endpoint, given));
    onCall({ endpoint: endpoint.name, values: withoutSecrets(endpoint, given) });
  };
  return { run, values, setValues, message, start, refresh, turn };
}

const addressOf = (endpoint: Endpoint, request: EndpointRequest): Address => ({
  ...{ endpoint: endpoint.name, values: withoutSecrets(endpoint, request.values) },
  page: linkablePage(endpoint, request),
});

/** A refresh neither stops a running request, nor leaves a later page, nor repeats what cannot succeed or not yet. */
function mayRefresh({ running, result, problem, endedAt = 0 }: Runner): boolean {
  if (running || (result?.request.page ?? 1) > 1) return false;
  if (!problem) return true;
  const { status, retryAfter } = problem;
  if (retryAfter !== undefined) return Date.now() >= endedAt + 1000 * retryAfter;
  return status === 0 || status >= 500;
}

/** The values of an address that the form takes over; undefined where it has none. */
const linkedValues = (endpoint: Endpoint, { values }: Address): Values | undefined =>
  values && inOrder(endpoint, withoutSecrets(endpoint, declaredValues(endpoint, values)));

/** Calls back when a version that was known becomes another one. */
function useOnChange(version: string | undefined, onChange: () => void): void {
  const known = useRef(version);
  useEffect(() => {
    if (version === undefined || version === known.current) return;
    const isFirst = known.current === undefined;
    known.current = version;
    if (!isFirst) onChange();
  }, [version]);
}

/** Why an endpoint does not run by itself when it is opened; empty where it does. */
function reasonToWait(
  endpoint: Endpoint,
  opened: Values,
  { what, values: sent = {} }: Pick<Address, 'values'> & { readonly what: string },
): string {
  const open = endpoint.parameters.filter(({ pinned }) => !pinned);
  const secrets = secretsOf(open).filter((name) => opened[name] === undefined);
  const { ignored, pinned } = refusedValues(endpoint, sent);
  return [
    ...(opened[SQL] === undefined ? [] : ['This link contains SQL. Read it, then press Run.']),
    ...(secrets.length === 0
      ? []
      : [`${what} has no secret values (${secrets.join(', ')}). Complete the form, then press Run.`]),
    ...(ignored.length === 0
      ? []
      : [
          `This link has parameters that ${endpoint.name} ignores: ${ignored.join(', ')}. Check the form, then press Run.`,
        ]),
    ...pinned.map((text) => `This link has ${text}. Check the form, then press Run.`),
  ].join(' ');
}
