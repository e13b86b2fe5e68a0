import type { VNode } from 'preact';

interface Props {
  readonly tags: readonly (readonly [tag: string, count: number])[];
  readonly chosen: string | undefined;
  readonly onTag: (tag: string | undefined) => void;
}

/** A button for each tag; pressing the chosen one again shows all endpoints. */
export function TagFilter({ tags, chosen, onTag }: Props): VNode {
  return (
    <div class="tags" role="group" aria-label="Tags">
      {tags.map(([tag, count]) => (
        <button
          key={tag}
          type="button"
          aria-pressed={tag === chosen}
          onClick={() => {
            onTag(tag === chosen ? undefined : tag);
          }}
        >
          {tag} <small>{count}</small>
        </button>
      ))}
    </div>
  );
}
