/** Summarizes Jest's JSON report, failed tests last: `node report-tests.mjs FILE`. */
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const SLOWEST = 10;
/** Of each error message; the expectation comes first, the stack last. */
const MESSAGE_LINES = 30;
const STACK_LINE = /^\s+at /;

const [, , reportFile = ''] = process.argv;
const { testResults: files, ...totals } = JSON.parse(readFileSync(reportFile, 'utf8'));
const nameOf = ({ name }) => name.slice(name.lastIndexOf('/test/') + 1);
const titles = [];
const secondsOf = ({ startTime, endTime }) => (endTime - startTime) / 1000;

console.log('\nThe slowest files, in seconds:');
for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, SLOWEST)) {
  console.log(`${secondsOf(file).toFixed(1).padStart(7)}  ${nameOf(file)}`);
}
for (const file of files.filter(({ status }) => status === 'failed')) {
  const failed = file.assertionResults.filter(({ status }) => status === 'failed');
  for (const { fullName, failureMessages } of failed)
    printError(`${nameOf(file)}: ${fullName}`, failureMessages.join('\n'));
  // The file did not compile, or code outside of the tests failed.
  if (failed.length === 0) printError(nameOf(file), file.message);
}
console.log(['', ...titles.map((title) => `FAILED ${title}`)].join('\n'));
console.log(`\n${totals.numPassedTests} passed, ${totals.numFailedTests} failed, in ${files.length} files`);

function printError(title, message) {
  titles.push(title);
  const lines = stripVTControlCharacters(message).split('\n');
  const [first, ...frames] = lines.filter(
    (line) => STACK_LINE.test(line) && !/node_modules|node:internal/.test(line),
  );
  const output = lines.filter((line) => !STACK_LINE.test(line) && line.trim() !== '');
  console.log(
    `\nFAILED ${title}\n${[...output.slice(0, MESSAGE_LINES), first ?? '', ...frames.slice(0, 2)].join('\n')}`,
  );
}
