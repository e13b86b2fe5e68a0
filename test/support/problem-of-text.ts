import type { NetworkResponse } from './caching-gateway.js';
import type { ProblemDocument } from './test-gateway.js';

/** Parses the problem document of a response, and expects the headers of one. */
export function problemOfText({ status, headers, body }: NetworkResponse): ProblemDocument {
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
  const problem = JSON.parse(body.toString()) as ProblemDocument;
  expect(problem.status).toBe(status);
  return problem;
}
