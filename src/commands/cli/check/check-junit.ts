import type { CheckedEndpoint } from '../../check/checked-endpoint.js';
import type { CheckedGrants } from './check-grants.js';
import { escapeXml } from '../../xml.js';
import { textOfProblem, type FileProblem } from '../../../endpoint/file-problems.js';

interface TestCase {
  readonly name: string;
  readonly file?: string | undefined;
  readonly milliseconds: number;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly string[];
}

/** The result of a check as JUnit XML: a test case for each endpoint, and one for the grants. */
export function checkJunit(checked: readonly CheckedEndpoint[], grants: CheckedGrants): string {
  const cases: readonly TestCase[] = [
    ...checked.map(({ example, ...endpoint }) => ({ ...endpoint, milliseconds: example?.milliseconds ?? 0 })),
    { name: 'grants', milliseconds: 0, ...grants },
  ];
  const failed = cases.filter(({ problems }) => problems.length > 0).length;
  const time = cases.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const counts = { tests: cases.length, failures: failed, errors: 0, time: seconds(time) };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes(counts)}>`,
    `<testsuite${attributes({ name: 'querygate check', ...counts, skipped: 0 })}>`,
    ...cases.map(caseXml),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseXml({ name, file, milliseconds, problems, warnings }: TestCase): string {
  const output = warnings.map((warning) => `warning: ${warning}`).join('\n');
  return [
    `<testcase${attributes({ classname: 'querygate', name, file, time: seconds(milliseconds) })}>`,
    ...failureXml(problems),
    ...(output === '' ? [] : [`<system-out>${escapeXml(output)}</system-out>`]),
    '</testcase>',
  ].join('\n');
}

/** All problems as one failure: most readers of JUnit XML expect one at most. */
function failureXml([first, ...others]: readonly FileProblem[]): readonly string[] {
  if (!first) return [];
  const message = others.length === 0 ? first.problem : `${first.problem} (and ${others.length} more)`;
  const text = [first, ...others].map(textOfProblem).join('\n');
  return [`<failure${attributes({ message, type: first.code })}>${escapeXml(text)}</failure>`];
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(4);

function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
}
