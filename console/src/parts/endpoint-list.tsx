import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

import type { Address } from '../model/address.js';
import { toFragment } from '../model/address.js';
import type { Endpoint } from '../model/endpoint.js';

interface Props {
  readonly endpoints: readonly Endpoint[];
  readonly current: string;
  readonly go: (to: Address) => void;
}

/** The endpoints that match the search; on a narrow screen the list is hidden after a choice. */
export function EndpointList({ endpoints, current, go }: Props): VNode {
  const [search, setSearch] = useState('');
  const [open, setOpen] = useState(false);
  const found = endpoints.filter((endpoint) => matches(endpoint, search));
  return (
    <nav class={`endpoints ${open ? 'open' : ''}`} aria-label="Endpoints">
      <button
        type="button"
        class="fold"
        aria-expanded={open}
        onClick={() => {
          setOpen(!open);
        }}
      >
        All endpoints
      </button>
      <div class="folded">
        <input
          type="search"
          placeholder="Search"
          aria-label="Search endpoints"
          value={search}
          onInput={(event) => {
            setSearch(event.currentTarget.value);
          }}
        />
        <ul>
          {found.map((endpoint) => (
            <li key={endpoint.id}>
              <a
                href={toFragment({ endpoint: endpoint.name })}
                aria-current={endpoint.name === current ? 'page' : undefined}
                onClick={(event) => {
                  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                  event.preventDefault();
                  setOpen(false);
                  go({ endpoint: endpoint.name });
                }}
              >
                <span class="name">{endpoint.name}</span>
                <span class="summary">{endpoint.description}</span>
              </a>
            </li>
          ))}
        </ul>
        <p class="hint" role="status">
          {found.length === 0 ? 'No endpoint has this in its name, description or parameters.' : ''}
        </p>
      </div>
    </nav>
  );
}

/** Whether every word of the search is in the endpoint's name, description or parameters. */
function matches({ name, description, parameters }: Endpoint, search: string): boolean {
  const text = [name, description, ...parameters.map((parameter) => parameter.name)].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
