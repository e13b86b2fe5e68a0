import type { ComponentChildren, VNode } from 'preact';

import type { Go } from '../hooks.js';
import { toFragment, type Address } from '../model/address.js';

interface Props {
  readonly to: Address;
  readonly go: Go;
  readonly isCurrent?: boolean;
  readonly children: ComponentChildren;
}

/** A link within the console; with Ctrl, ⌘ or Shift the browser opens it elsewhere. */
export function AddressLink({ to, go, isCurrent = false, children }: Props): VNode {
  return (
    <a
      href={toFragment(to)}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
