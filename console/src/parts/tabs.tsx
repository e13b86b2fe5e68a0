import type { ComponentChildren, VNode } from 'preact';
import { useId, useState } from 'preact/hooks';

export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly content: () => ComponentChildren;
}

interface Props {
  readonly tabs: readonly Tab[];
  readonly label: string;
  /** Content next to the tabs. */
  readonly children?: ComponentChildren;
}

/** Tabs by the ARIA pattern: the Tab key enters them, the arrow keys move between them. */
export function Tabs({ tabs, label, children }: Props): VNode {
  const prefix = useId();
  const [chosen, setChosen] = useState(tabs[0]?.id);
  const index = Math.max(
    0,
    tabs.findIndex(({ id }) => id === chosen),
  );
  const current = tabs[index];
  const step = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1, Home: -index, End: tabs.length - 1 - index }[event.key];
    const next = by === undefined ? undefined : tabs[(index + by + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    setChosen(next.id);
    document.getElementById(`${prefix}-${next.id}`)?.focus();
  };
  return (
    <>
      <div class="tab-bar">
        <div class="tabs" role="tablist" aria-label={label} onKeyDown={step}>
          {tabs.map(({ id, title }) => (
            <button
              key={id}
              type="button"
              role="tab"
              id={`${prefix}-${id}`}
              aria-selected={id === current?.id}
              aria-controls={`${prefix}-panel`}
              tabIndex={id === current?.id ? 0 : -1}
              onClick={() => {
                setChosen(id);
              }}
            >
              {title}
            </button>
          ))}
        </div>
        {children !== undefined && <div class="toolbar">{children}</div>}
      </div>
      <div
        class="panel"
        role="tabpanel"
        id={`${prefix}-panel`}
        aria-labelledby={`${prefix}-${current?.id ?? ''}`}
      >
        {current?.content()}
      </div>
    </>
  );
}
