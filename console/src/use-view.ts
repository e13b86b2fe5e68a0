import type { Go } from './hooks.js';
import type { Address } from './model/address.js';
import type { Endpoint, Values } from './model/endpoint.js';

interface ViewOptions {
  readonly endpoint: Endpoint;
  readonly address: Address;
  readonly go: Go;
}

/** How results of an endpoint are shown: as the link says; where the address is no link to a call, as this browser showed them last. */
export function useView({
  endpoint: { name },
  address,
  go,
}: ViewOptions): readonly [view: Values, onView: (view: Values) => void] {
  const stored = `querygate.view.${name}`;
  const kept = (): Values => Object.fromEntries(new URLSearchParams(localStorage.getItem(stored) ?? ''));
  const view = address.view ?? (address.values ? {} : kept());
  const onView = (next: Values): void => {
    const text = new URLSearchParams(next).toString();
    if (text === '') localStorage.removeItem(stored);
    else localStorage.setItem(stored, text);
    go({ ...address, view: next }, 'replace');
  };
  return [view, onView];
}
