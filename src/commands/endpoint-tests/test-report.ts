import { styleText } from 'node:util';

import { textOfProblem } from '../../endpoint/file-problems.js';
import type { RanTest } from './run-tests.js';

/** What came of a test file, for people: one line where all calls passed, else what differs in each. */
export function testReport({ file, calls, problems, warnings }: RanTest): string {
  const failed = calls.filter(({ differences }) => differences.length > 0);
  const milliseconds = calls.reduce((sum, call) => sum + call.milliseconds, 0);
  const isGood = failed.length + problems.length === 0;
  return [
    `${paint(isGood ? 'green' : 'red', isGood ? 'ok' : 'failed')}  ${file}  ${count(calls.length, 'call')}  ${Math.round(milliseconds)} ms`,
    ...failed.flatMap(({ title, differences }) => [`  ${title}`, ...differences.map(indented)]),
    ...problems.map((problem) => `${paint('red', 'error:')} ${textOfProblem(problem)}`),
    ...warnings.map((warning) => `${paint('yellow', 'warning:')} ${warning}`),
    '',
  ].join('\n');
}

/** How many calls of how many files failed. */
export function testSummary(tests: readonly RanTest[]): string {
  const calls = tests.flatMap((test) => test.calls);
  const failed = calls.filter(({ differences }) => differences.length > 0).length;
  const invalid = tests.filter(({ problems }) => problems.length > 0).length;
  return [
    failed === 0
      ? `${count(calls.length, 'call')} passed`
      : `${failed} of ${count(calls.length, 'call')} failed`,
    `in ${count(tests.length, 'file')}`,
    ...(invalid === 0 ? [] : [`, of which ${invalid} cannot run`]),
  ]
    .join(' ')
    .replace(' ,', ',');
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');

const paint = (style: 'green' | 'red' | 'yellow', text: string): string =>
  styleText(style, text, { stream: process.stdout });
