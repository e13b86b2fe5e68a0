import type { VNode } from 'preact';

import { tokensOf } from '../model/sql-tokens.js';
import { CopyButton } from './copy-button.js';

/** The saved query with highlighted syntax. */
export function SavedQuery({ sql }: { readonly sql: string }): VNode {
  return (
    <div class="code">
      <div class="code-actions">
        <CopyButton label="Copy" text={() => sql} />
      </div>
      <pre tabIndex={0} aria-label="Saved query">
        <code>
          {tokensOf(sql).map(({ kind, text }, index) =>
            kind === 'text' ? (
              text
            ) : (
              <span key={index} class={`sql-${kind}`}>
                {text}
              </span>
            ),
          )}
        </code>
      </pre>
    </div>
  );
}
