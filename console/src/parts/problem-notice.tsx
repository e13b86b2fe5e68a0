import type { VNode } from 'preact';

import type { Problem } from '../api.js';

/**
 * The gateway's description of a problem.
 *
 * @param elsewhere names of parameters whose problems are shown at their fields.
 */
export function ProblemNotice({
  problem,
  elsewhere = [],
}: {
  readonly problem: Problem;
  readonly elsewhere?: readonly string[];
}): VNode {
  const { status, title, detail, code, requestId, retryAfter } = problem;
  const others = problem.problems.filter(({ param }) => !elsewhere.includes(param));
  return (
    <section class="notice bad" role="alert">
      <h2>{title}</h2>
      <p>{detail}</p>
      {others.length > 0 && (
        <ul>
          {others.map(({ param, problem: text }) => (
            <li key={param}>
              <code>{param}</code> {text}
            </li>
          ))}
        </ul>
      )}
      {retryAfter !== undefined && (
        <p>
          <strong>Try again in {retryAfter} s</strong> (Retry-After).
        </p>
      )}
      {(code !== '' || requestId !== '') && (
        <p class="hint">
          {status} {code}
          {requestId !== '' && (
            <>
              {' '}
              · request <code>{requestId}</code>
            </>
          )}
        </p>
      )}
    </section>
  );
}
