import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

import { download, type Problem } from '../api.js';
import { problemOf } from '../hooks.js';
import type { Endpoint } from '../model/endpoint.js';
import { FORMATS } from '../model/formats.js';
import type { EndpointRequest } from '../model/request.js';

interface Props {
  readonly endpoint: Endpoint;
  readonly request: EndpointRequest;
  readonly keyText: string;
}

/** Saves the result as a file in a chosen format. */
export function Download({ endpoint, request, keyText }: Props): VNode | null {
  const [name, setName] = useState('csv');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  if (endpoint.parameters.some((parameter) => parameter.name === 'format')) return null;
  const save = async (): Promise<void> => {
    const format = FORMATS.find((one) => one.name === name);
    if (!format || busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      saveBlob(await download(request, format, keyText));
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  return (
    <div class="download">
      <label>
        <span class="unseen">Format of the download</span>
        <select
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        >
          {FORMATS.map((format) => (
            <option key={format.name} value={format.name}>
              {format.title}
            </option>
          ))}
        </select>
      </label>
      <button type="button" disabled={busy} onClick={() => void save()}>
        {busy ? 'Fetching…' : 'Download'}
      </button>
      <span class="field-problem" role="status">
        {problem && `${problem.title}: ${problem.detail}`}
      </span>
    </div>
  );
}

/** A page can save a file only by a click on a link. */
function saveBlob({ blob, fileName }: { readonly blob: Blob; readonly fileName: string }): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  // Some browsers read the file after the click has returned.
  setTimeout(() => {
    URL.revokeObjectURL(link.href);
  }, 60_000);
}
