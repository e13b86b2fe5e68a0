import type { VNode } from 'preact';

import type { Go } from '../hooks.js';
import { toFragment, type Address } from '../model/address.js';
import { AddressLink } from './address-link.js';

interface Props {
  readonly addresses: readonly Address[];
  readonly go: Go;
}

/** Links to calls, each with its values. */
export function AddressList({ addresses, go }: Props): VNode {
  return (
    <ul class="addresses">
      {addresses.map((address) => (
        <li key={toFragment(address)}>
          <AddressLink to={address} go={go}>
            <span class="name">{address.endpoint}</span>
            <span class="summary">{valuesText(address)}</span>
          </AddressLink>
        </li>
      ))}
    </ul>
  );
}

const valuesText = ({ values = {} }: Address): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(' · ');
