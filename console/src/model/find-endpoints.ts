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
