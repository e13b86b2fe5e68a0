import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

import { KEY_PLACEHOLDER, SNIPPETS, type SnippetRequest } from '../snippets/index.js';
import { CopyButton } from './copy-button.js';

/** The request as code for other tools; the key is a placeholder. */
export function Snippets({ request }: { readonly request: SnippetRequest }): VNode {
  const [chosen, setChosen] = useState('curl');
  const snippet = SNIPPETS.find(({ id }) => id === chosen) ?? SNIPPETS[0];
  const text = snippet?.write(request) ?? '';
  return (
    <div class="code">
      <div class="code-actions">
        <label>
          For{' '}
          <select
            value={chosen}
            onChange={(event) => {
              setChosen(event.currentTarget.value);
            }}
          >
            {SNIPPETS.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <CopyButton label="Copy" text={() => text} />
        <span class="hint">
          with the parameters of the form; put your key for <code>{KEY_PLACEHOLDER}</code>
        </span>
      </div>
      <pre tabIndex={0} aria-label="Snippet">
        <code>{text}</code>
      </pre>
    </div>
  );
}
