import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

import { download, type Problem } from '../api.js';
import { problemOf } from '../hooks.js';
import { bytes, number } from '../model/display.js';
import { canExport, type Endpoint } from '../model/endpoint.js';
import { FORMATS } from '../model/formats.js';
import type { EndpointRequest } from '../model/request.js';

interface Props {
  readonly endpoint: Endpoint;
  readonly request: EndpointRequest;
  readonly keyText: string;
}

/** What is being fetched. */
interface Fetching {
  readonly isExport: boolean;
  readonly bytes: number;
  readonly abort: AbortController;
}

/** Saves the page of the result that is shown as a file in a chosen format, or all rows where the endpoint has exports. */
export function Download({ endpoint, request, keyText }: Props): VNode | null {
  const [name, setName] = useState('csv');
  const [fetching, setFetching] = useState<Fetching>();
  const [problem, setProblem] = useState<Problem>();
  if (endpoint.parameters.some((parameter) => parameter.name === 'format')) return null;
  const save = async (isExport: boolean): Promise<void> => {
    const format = FORMATS.find((one) => one.name === name);
    if (!format || fetching) return;
    const abort = new AbortController();
    const onBytes = (received: number): void => {
      setFetching({ isExport, bytes: received, abort });
    };
    onBytes(0);
    setProblem(undefined);
    try {
      saveBlob(await download(request, format, keyText, { isExport, onBytes, signal: abort.signal }));
    } catch (error) {
      if (!abort.signal.aborted) setProblem(problemOf(error));
    }
    setFetching(undefined);
  };
  const { page = 1 } = request;
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
      <button type="button" disabled={fetching !== undefined} onClick={() => void save(false)}>
        {fetching?.isExport === false ? 'Fetching…' : page > 1 ? `Download page ${number(page)}` : 'Download'}
      </button>
      {canExport(endpoint, request.values) && <AllRows fetching={fetching} onSave={() => void save(true)} />}
      <span class="field-problem" role="status">
        {problem && `${problem.title}: ${problem.detail}`}
      </span>
    </div>
  );
}

interface AllRowsProps {
  readonly fetching: Fetching | undefined;
  readonly onSave: () => void;
}

function AllRows({ fetching, onSave }: AllRowsProps): VNode {
  const running = fetching?.isExport === true ? fetching : undefined;
  return (
    <>
      <button type="button" disabled={fetching !== undefined} onClick={onSave}>
        {running ? `All rows: ${bytes(running.bytes)}…` : 'All rows'}
      </button>
      {running && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            running.abort.abort();
          }}
        >
          Cancel
        </button>
      )}
    </>
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
