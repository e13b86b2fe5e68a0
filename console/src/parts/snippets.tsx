import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

import {
  KEY_PLACEHOLDER,
  limitOf,
  SECRET_PLACEHOLDER,
  snippetsFor,
  type SnippetRequest,
} from '../snippets/index.js';
import { canExport } from '../model/endpoint.js';
import { CopyButton } from './copy-button.js';

/** The request as code for other tools; the key is a placeholder. */
export function Snippets({ request }: { readonly request: SnippetRequest }): VNode {
  const [chosen, setChosen] = useState('curl');
  const offered = snippetsFor(request);
  const snippet = offered.find(({ id }) => id === chosen) ?? offered[0];
  const text = snippet?.write(request) ?? '';
  return (
    <div class="code">
      <div class="code-actions">
        <label>
          For{' '}
          <select
            value={snippet?.id}
            onChange={(event) => {
              setChosen(event.currentTarget.value);
            }}
          >
            {offered.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <CopyButton label="Copy" text={() => text} />
        <span class="hint">
          with the parameters of the form
          {!snippet?.readsTable && <Completeness limit={limitOf(request)} />}
          {!snippet?.readsTable && canExport(request.endpoint, request.values) && (
            <>
              {' '}
              (with <code>export=1</code> in its place it has all rows)
            </>
          )}
          ; put your key for <code>{KEY_PLACEHOLDER}</code>
          {request.body === 'secret' && (
            <>
              , and the secret value for <code>{SECRET_PLACEHOLDER}</code>. Other tools are left out: they
              would send it in a URL.
            </>
          )}
          {request.body === 'long' && '. Other tools are left out: these values are too long for a URL.'}
        </span>
      </div>
      <pre tabIndex={0} aria-label="Snippet">
        <code>{text}</code>
      </pre>
    </div>
  );
}

/** Whether the request makes an error of an incomplete result, and why not. */
function Completeness({ limit }: { readonly limit: number | undefined }): VNode {
  return limit === undefined ? (
    <>
      {' '}
      and <code>complete=1</code>, which makes an error of an incomplete result
    </>
  ) : (
    <>
      , but without <code>complete=1</code>: the saved query ends with LIMIT {limit}, and it would make an
      error of each result with more rows
    </>
  );
}
