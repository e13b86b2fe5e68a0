import type { RefObject, VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Address } from '../model/address.js';
import { toFragment } from '../model/address.js';
import type { Endpoint } from '../model/endpoint.js';
import { findEndpoints, tagCounts } from '../model/find-endpoints.js';
import { TagFilter } from './tag-filter.js';

interface Props {
  readonly endpoints: readonly Endpoint[];
  readonly current: string;
  /** What a check found, by the name of an endpoint. */
  readonly marks?: ReadonlyMap<string, string> | undefined;
  readonly go: (to: Address) => void;
}

/** The endpoints that match the search and the chosen tag; on a narrow screen the list is hidden after a choice. */
export function EndpointList({ endpoints, current, marks, go }: Props): VNode {
  const [search, setSearch] = useState('');
  const [tag, setTag] = useState<string>();
  const [open, setOpen] = useState(false);
  const field = useSearchShortcut(setOpen);
  const tags = useMemo(() => tagCounts(endpoints), [endpoints]);
  const found = findEndpoints(endpoints, search, tag);
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
          ref={field}
          type="search"
          placeholder="Search (Ctrl+K)"
          aria-label="Search endpoints"
          value={search}
          onInput={(event) => {
            setSearch(event.currentTarget.value);
          }}
        />
        {tags.length > 0 && <TagFilter tags={tags} chosen={tag} onTag={setTag} />}
        <p class="hint" role="status">
          {statusOf(found.length, endpoints.length)}
        </p>
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
                {endpoint.deprecated && <span class="mark">deprecated</span>}
                {marks?.has(endpoint.name) && <span class="mark">{marks.get(endpoint.name)}</span>}
                <span class="summary">{endpoint.description}</span>
              </a>
            </li>
          ))}
        </ul>
      </div>
    </nav>
  );
}

/** Ctrl+K, or ⌘K, goes to the search from everywhere. */
function useSearchShortcut(setOpen: (isOpen: boolean) => void): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const find = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen(true);
      field.current?.select();
      // On a narrow screen it is shown by then.
      requestAnimationFrame(() => {
        if (document.activeElement !== field.current) field.current?.select();
      });
    };
    addEventListener('keydown', find);
    return () => {
      removeEventListener('keydown', find);
    };
  }, []);
  return field;
}

function statusOf(found: number, all: number): string {
  if (found === all) return '';
  return found === 0
    ? 'No endpoint has this in its name, description, tags or parameters.'
    : `${found} of ${all} endpoints`;
}
