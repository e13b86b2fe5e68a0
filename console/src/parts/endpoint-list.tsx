import type { RefObject, VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Address } from '../model/address.js';
import type { Endpoint } from '../model/endpoint.js';
import { findEndpoints, groupByPrefix, tagCounts } from '../model/find-endpoints.js';
import { AddressLink } from './address-link.js';
import { AddressList } from './address-list.js';
import { TagFilter } from './tag-filter.js';

interface Props {
  readonly endpoints: readonly Endpoint[];
  readonly current: string;
  /** Calls that somebody chose in this browser. */
  readonly favourites: readonly Address[];
  /** What a check found, by the name of an endpoint. */
  readonly marks?: ReadonlyMap<string, string> | undefined;
  readonly go: (to: Address) => void;
}

/** Where more endpoints are listed, their groups are closed at first. */
const MOST_OPEN = 60;

/** The endpoints that match the search and the chosen tag; on a narrow screen the list is hidden after a choice. */
export function EndpointList({ endpoints, current, favourites, marks, go }: Props): VNode {
  const [search, setSearch] = useState('');
  const [tag, setTag] = useState<string>();
  const [open, setOpen] = useState(false);
  const field = useSearchShortcut(setOpen);
  const tags = useMemo(() => tagCounts(endpoints), [endpoints]);
  const found = findEndpoints(endpoints, search, tag);
  const choose = (to: Address): void => {
    setOpen(false);
    setSearch('');
    go(to);
  };
  return (
    <nav class={`endpoints ${open ? 'open' : ''}`} aria-label="Endpoints" onKeyDown={moveInList}>
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
        <div class="listed">
          {favourites.length > 0 && search === '' && tag === undefined && (
            <details open>
              <summary>Favourites</summary>
              <AddressList addresses={favourites} go={choose} />
            </details>
          )}
          <Groups {...{ found, current, marks }} go={choose} />
        </div>
      </div>
    </nav>
  );
}

interface GroupsProps extends Pick<Props, 'current' | 'marks' | 'go'> {
  readonly found: readonly Endpoint[];
}

/** The endpoints, those with the same first part of the name together. */
function Groups({ found, ...props }: GroupsProps): VNode {
  const isOpen = (group: readonly Endpoint[]): boolean =>
    found.length <= MOST_OPEN || group.some(({ name }) => name === props.current);
  return (
    <>
      {groupByPrefix(found).map(({ prefix, endpoints: group }) =>
        prefix === '' ? (
          <Items key="" {...props} group={group} />
        ) : (
          <details key={prefix} open={isOpen(group)}>
            <summary>
              {prefix} <small>{group.length}</small>
            </summary>
            <Items {...props} group={group} />
          </details>
        ),
      )}
    </>
  );
}

interface ItemsProps extends Pick<Props, 'current' | 'marks' | 'go'> {
  readonly group: readonly Endpoint[];
}

function Items({ group, current, marks, go }: ItemsProps): VNode {
  return (
    <ul>
      {group.map(({ id, name, description, deprecated }) => (
        <li key={id}>
          <AddressLink to={{ endpoint: name }} go={go} isCurrent={name === current}>
            <span class="name">{name}</span>
            {deprecated && <span class="mark">deprecated</span>}
            {marks?.has(name) && <span class="mark">{marks.get(name)}</span>}
            <span class="summary">{description}</span>
          </AddressLink>
        </li>
      ))}
    </ul>
  );
}

/** The arrows go from the search to the endpoints below it and back; Enter in the search opens the first. */
function moveInList(event: KeyboardEvent): void {
  const nav = event.currentTarget as HTMLElement;
  const stops = [...nav.querySelectorAll<HTMLElement>('input, .listed a')].filter((one) =>
    one.checkVisibility(),
  );
  const at = stops.findIndex((one) => one === event.target);
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const isEnter = event.key === 'Enter' && at === 0;
  if (at < 0 || !(by || isEnter)) return;
  event.preventDefault();
  if (isEnter) stops[1]?.click();
  else stops[at + (by ?? 0)]?.focus();
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
