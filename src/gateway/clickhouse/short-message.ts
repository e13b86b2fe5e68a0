/** Maximum length of ClickHouse's list of expected tokens, which can be longer than the SQL. */
const MAX_EXPECTED = 120;

/** Message of a ClickHouse error without its copies of the SQL. */
export function shortMessage(message: string): string {
  const text = message
    .replace(
      /: failed at position \d+(?: \([^]*?\)(?: \(line \d+, col \d+\))?: [^]*?(?=\. (?:Expected|Unmatched|Maybe)|$))?/,
      '',
    )
    .replace(/[.:]? in (?:scope|query) [^]*?(?=\. Maybe you meant|$)/i, '');
  return text.replace(/Expected one of: [^]*/, shortened).replace(/[\s.]+$/, '');
}

function shortened(expected: string): string {
  if (expected.length <= MAX_EXPECTED) return expected;
  return `${expected.slice(0, expected.lastIndexOf(', ', MAX_EXPECTED))} …`;
}
