import type { Endpoint } from './endpoint.js';

/** The parts of an endpoint by which it is found. */
export type Findable = Pick<Endpoint, 'name' | 'description' | 'tags' | 'parameters'>;

/** The endpoints with the tag, if one is chosen, and with every word of the search in their texts. */
export function findEndpoints<E extends Findable>(
  endpoints: readonly E[],
  search: string,
  tag: string | undefined,
): readonly E[] {
  const words = search.toLowerCase().split(/\s+/);
  return endpoints.filter((endpoint) => {
    if (tag !== undefined && !endpoint.tags.includes(tag)) return false;
    const text = textOf(endpoint);
    return words.every((word) => text.includes(word));
  });
}

function textOf({ name, description, tags, parameters }: Findable): string {
  const names = parameters.map((parameter) => parameter.name);
  return [name, description, ...tags, ...names].join(' ').toLowerCase();
}

/** Every tag by name, with the number of its endpoints. */
export function tagCounts(
  endpoints: readonly Findable[],
): readonly (readonly [tag: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const tag of endpoints.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Endpoints whose names have the same first part. */
export interface EndpointGroup<E> {
  /** Empty: of endpoints that share it with no other one. */
  readonly prefix: string;
  readonly endpoints: readonly E[];
}

/** The endpoints by the part of their names before the first dot; those that share it with no other one come first. */
export function groupByPrefix<E extends Pick<Endpoint, 'name'>>(
  endpoints: readonly E[],
): readonly EndpointGroup<E>[] {
  const groups = new Map<string, E[]>([['', []]]);
  const prefixOf = ({ name }: E): string => (name.includes('.') ? name.slice(0, name.indexOf('.')) : '');
  const counts = new Map<string, number>();
  for (const endpoint of endpoints) counts.set(prefixOf(endpoint), (counts.get(prefixOf(endpoint)) ?? 0) + 1);
  for (const endpoint of endpoints) {
    const prefix = counts.get(prefixOf(endpoint)) === 1 ? '' : prefixOf(endpoint);
    const group = groups.get(prefix);
    if (group) group.push(endpoint);
    else groups.set(prefix, [endpoint]);
  }
  return [...groups].flatMap(([prefix, grouped]) =>
    grouped.length === 0 ? [] : [{ prefix, endpoints: grouped }],
  );
}
