import { escapeXml } from '../xml.js';

/** A test case of a report. */
export interface JunitCase {
  readonly name: string;
  /** The group that it is shown in. */
  readonly group: string;
  readonly file?: string | undefined;
  readonly milliseconds: number;
  /** Why it failed. Most readers expect one failure at most. */
  readonly failure?: { readonly message: string; readonly type: string; readonly text: string } | undefined;
  readonly warnings?: readonly string[];
}

/** A report as JUnit XML. @param suite the command that ran */
export function junitXml(suite: string, cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ failure }) => failure).length;
  const time = cases.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const counts = { tests: cases.length, failures, errors: 0, time: seconds(time) };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes(counts)}>`,
    `<testsuite${attributes({ name: suite, ...counts, skipped: 0 })}>`,
    ...cases.map(caseXml),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseXml({ name, group, file, milliseconds, failure, warnings = [] }: JunitCase): string {
  const output = warnings.map((warning) => `warning: ${warning}`).join('\n');
  return [
    `<testcase${attributes({ classname: group, name, file, time: seconds(milliseconds) })}>`,
    ...(failure
      ? [
          `<failure${attributes({ message: failure.message, type: failure.type })}>${escapeXml(failure.text)}</failure>`,
        ]
      : []),
    ...(warnings.length === 0 ? [] : [`<system-out>${escapeXml(output)}</system-out>`]),
    '</testcase>',
  ].join('\n');
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(4);

function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
}
