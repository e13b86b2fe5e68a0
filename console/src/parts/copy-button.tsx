import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

/** Copies a text, and confirms it. */
export function CopyButton({ text, label }: { readonly text: () => string; readonly label: string }): VNode {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    setSaid((await toClipboard(text())) ? 'Copied' : 'Not copied: select the text instead');
    setTimeout(() => {
      setSaid('');
    }, 2500);
  };
  return (
    <span class="copy">
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span class="said" role="status">
        {said}
      </span>
    </span>
  );
}

/** Browsers allow the clipboard only on local pages and over TLS; elsewhere a selection is copied. */
async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
