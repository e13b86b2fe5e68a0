import { problemOfHeaders } from '../../../../../src/gateway/http/transport/header-limits.js';

/** The problem of a request with these header lines. */
const problemOf = (lines: readonly (readonly [string, string])[]): string | undefined => {
  const headers: Record<string, string> = {};
  for (const [name, value] of lines) {
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return problemOfHeaders({ headers, rawHeaders: lines.flat() });
};
const lines = (count: number, name: string, value: string): (readonly [string, string])[] =>
  Array.from({ length: count }, () => [name, value] as const);

describe('problemOfHeaders', () => {
  it.each([
    ['accept', 1024],
    ['accept-encoding', 1024],
    ['cache-control', 1024],
    ['prefer', 1024],
    ['host', 1024],
    ['origin', 1024],
    ['range', 1024],
    ['if-none-match', 4096],
    ['x-forwarded-for', 4096],
    ['cookie', 8192],
    ['x-request-id', 8192],
    ['traceparent', 8192],
  ])('accepts %s of %i bytes and rejects one byte more', (name, limit) => {
    expect(problemOf([[name, 'x'.repeat(limit)]])).toBeUndefined();
    expect(problemOf([[name, 'x'.repeat(limit + 1)]])).toBe(
      `The header ${name} has more than ${limit} bytes. Send a shorter value.`,
    );
  });

  it.each(['x-api-key', 'authorization'])('does not limit %s, which authentication does', (name) => {
    expect(problemOf([[name, 'x'.repeat(500_000)]])).toBeUndefined();
  });

  it('counts the lines of one header together', () => {
    expect(problemOf(lines(50, 'accept', 'application/vnd.example'))).toContain(
      'The header accept has more than',
    );
  });

  it('rejects headers that are too large together', () => {
    const fields = Array.from({ length: 5 }, (_, n) => [`x-${n}`, 'x'.repeat(8000)] as const);
    expect(problemOf(fields)).toBe(
      'The headers together have more than 32768 bytes. Send fewer or shorter headers.',
    );
    expect(problemOf(fields.slice(1))).toBeUndefined();
  });

  it('rejects more than a hundred lines', () => {
    expect(problemOf(lines(100, 'a', 'b'))).toBeUndefined();
    expect(problemOf(lines(101, 'a', 'b'))).toBe(
      'The request has more than 100 header lines. Send fewer headers.',
    );
  });
});
