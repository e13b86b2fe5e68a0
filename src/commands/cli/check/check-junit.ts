import type { CheckedEndpoint } from '../../check/checked-endpoint.js';
import type { CheckedGrants } from './check-grants.js';
import { textOfProblem, type FileProblem } from '../../../endpoint/file-problems.js';
import { junitXml, type JunitCase } from '../junit.js';

/** The result of a check as JUnit XML: a test case for each endpoint, and one for the grants. */
export function checkJunit(checked: readonly CheckedEndpoint[], grants: CheckedGrants): string {
  const cases = [
    ...checked.map(({ example, ...endpoint }) => ({ ...endpoint, milliseconds: example?.milliseconds ?? 0 })),
    { name: 'grants', milliseconds: 0, file: undefined, ...grants },
  ];
  return junitXml(
    'querygate check',
    cases.map(({ problems, ...each }) => ({ ...each, group: 'querygate', failure: failureOf(problems) })),
  );
}

/** All problems as one failure. */
export function failureOf([first, ...others]: readonly FileProblem[]): JunitCase['failure'] {
  if (!first) return undefined;
  const message = others.length === 0 ? first.problem : `${first.problem} (and ${others.length} more)`;
  return { message, type: first.code, text: [first, ...others].map(textOfProblem).join('\n') };
}
