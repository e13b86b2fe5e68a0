import type { ComponentChildren, VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';

interface Props {
  readonly title: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** Content below a button. Escape, and a press or the focus elsewhere, close it. */
export function Dropdown({ title, class: name, children }: Props): VNode {
  const [isOpen, setOpen] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <div
      ref={element}
      class={`dropdown ${name}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        setOpen(false);
        button.current?.focus();
      }}
      onFocusOut={() => {
        // The focus has its new place, if any, once the event has ended.
        setTimeout(() => {
          if (!element.current?.contains(document.activeElement)) setOpen(false);
        });
      }}
    >
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        {title} <span aria-hidden="true">▾</span>
      </button>
      {/* Takes the focus of a press within, which would otherwise be one elsewhere. */}
      {isOpen && (
        <div class="dropped" tabIndex={-1}>
          {children}
        </div>
      )}
    </div>
  );
}
