import type { VNode } from 'preact';

import { placeOf, type DevelopmentState, type FileProblem } from '../model/development.js';
import type { Following } from './use-development.js';
import { OpenInEditor } from './editor.js';

/** Further problems are folded. */
const SHOWN_AT_FIRST = 3;

/** What is wrong with the project, above every page. */
export function Banner({ state, isReachable }: Following): VNode | null {
  if (!state) return null;
  return (
    <div class="banner">
      {!isReachable && (
        <p class="notice" role="status">
          The connection to the gateway is interrupted. This page tries again until it is back.
        </p>
      )}
      {state.problems.length > 0 && <Problems problems={state.problems} />}
      {state.notices.length > 0 && <Notices notices={state.notices} />}
    </div>
  );
}

function Problems({ problems }: Pick<DevelopmentState, 'problems'>): VNode {
  const first = problems.slice(0, SHOWN_AT_FIRST);
  const others = problems.slice(SHOWN_AT_FIRST);
  return (
    <section class="notice bad" aria-label="Problems in the project">
      {/* Another key makes another element, which a screen reader announces. */}
      <div key={JSON.stringify(problems)} role="alert">
        <h2>{problems.length === 1 ? 'A problem' : `${problems.length} problems`} in the project</h2>
        <p>
          Until {problems.length === 1 ? 'it is' : 'they are'} fixed, the gateway serves the earlier version,
          where there is one.
        </p>
        <ProblemList problems={first} />
      </div>
      {others.length > 0 && (
        <details>
          <summary>{others.length === 1 ? '1 more problem' : `${others.length} more problems`}</summary>
          <ProblemList problems={others} />
        </details>
      )}
    </section>
  );
}

function ProblemList({ problems }: Pick<DevelopmentState, 'problems'>): VNode {
  return (
    <ul class="problems">
      {problems.map((problem, index) => (
        <li key={index}>
          <ProblemText problem={problem} />
        </li>
      ))}
    </ul>
  );
}

function ProblemText({ problem }: { readonly problem: FileProblem }): VNode {
  const place = placeOf(problem);
  const { path, line, column, excerpt } = problem;
  return (
    <>
      <p>
        {place !== '' && <code>{place}</code>} {problem.problem}{' '}
        {path !== undefined && (
          <OpenInEditor
            name={place}
            place={{ path, ...(line !== undefined && { line }), ...(column !== undefined && { column }) }}
          />
        )}
      </p>
      {excerpt !== undefined && (
        <pre tabIndex={0} aria-label={`The mistake at ${place}`}>
          {excerpt}
        </pre>
      )}
    </>
  );
}

function Notices({ notices }: Pick<DevelopmentState, 'notices'>): VNode {
  return (
    <div class="notice notices" role="status">
      {notices.map((notice) => (
        <p key={notice}>{notice}</p>
      ))}
    </div>
  );
}
