import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

import { time } from '../model/display.js';
import { post, type Answer } from './post.js';
import type { ProjectProblem, ProjectState } from './snapshot.js';

interface Props {
  readonly project: ProjectState;
  readonly onChange: () => void;
}

/** When the files of the project were loaded, what is wrong with them, and a button that loads them again. */
export function ProjectFiles({ project: { endpoints, lastReload, lastSuccess }, onChange }: Props): VNode {
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  const reload = async (): Promise<void> => {
    setBusy(true);
    setAnswer(await post('endpoints/reload'));
    setBusy(false);
    onChange();
  };
  const rejected = endpoints.flatMap(({ name, rejections = [] }) =>
    rejections.map((rejection) => ({ ...rejection, file: rejection.file ?? name })),
  );
  const problems = [...lastReload.problems, ...rejected];
  return (
    <>
      <p>
        {`${endpoints.length} endpoints, loaded at ${shortTime(lastSuccess)} UTC.`} {summaryOf(lastReload)}{' '}
        <button type="button" disabled={isBusy} onClick={() => void reload()}>
          {isBusy ? 'Loading…' : 'Load the files again'}
        </button>
      </p>
      {!lastReload.ok && (
        <p class="notice bad" role="alert">
          {`Loading at ${shortTime(lastReload.at)} UTC failed, and what was served before stays.`}
        </p>
      )}
      {/* Where nothing was loaded, only the answer says why. */}
      {answer?.ok === false && lastReload.ok && (
        <p class="notice bad" role="alert">
          {answer.detail}
        </p>
      )}
      <p class="unseen" role="status">
        {answer?.ok && 'The files are loaded.'}
      </p>
      {problems.length > 0 && <ProblemTexts problems={problems} />}
    </>
  );
}

const shortTime = (iso: string): string => time(iso.replace(/\.\d+Z$/, 'Z'));

function summaryOf({ added, changed, removed }: ProjectState['lastReload']): string {
  const parts = Object.entries({ added, changed, removed }).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what}: ${names.join(', ')}`],
  );
  return parts.length === 0 ? '' : `The last time ${parts.join('; ')}.`;
}

/** The excerpts show a place by carets below a line, so that all are in letters of one width. */
function ProblemTexts({ problems }: { readonly problems: readonly ProjectProblem[] }): VNode {
  return (
    <pre class="notice warn problem-texts" tabIndex={0} aria-label="What is wrong with the files">
      {problems
        .map(({ file, line, column, problem, excerpt }) => {
          const place = [file, line, column].filter((part) => part !== undefined).join(':');
          return [
            `${place === '' ? '' : `${place}: `}${problem}`,
            ...(excerpt === undefined ? [] : [excerpt]),
          ].join('\n');
        })
        .join('\n\n')}
    </pre>
  );
}
