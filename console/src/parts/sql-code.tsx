import type { VNode } from 'preact';

import { tokensOf } from '../model/sql-tokens.js';
import { CopyButton } from './copy-button.js';

/** SQL with highlighted syntax. @param label names it for screen readers. */
export function SqlCode({ sql, label }: { readonly sql: string; readonly label: string }): VNode {
  return (
    <div class="code">
      <div class="code-actions">
        <CopyButton label="Copy" text={() => sql} />
      </div>
      <pre tabIndex={0} aria-label={label}>
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
