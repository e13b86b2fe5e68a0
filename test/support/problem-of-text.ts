import type { NetworkResponse } from './caching-gateway.js';
import type { ProblemDocument } from './test-gateway.js';

/** The problem document of an answer off the network, once it is sure that it is one. */
export function problemOfText({ status, headers, body }: NetworkResponse): ProblemDocument {
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
  const problem = JSON.parse(body.toString()) as ProblemDocument;
  expect(problem.status).toBe(status);
  return problem;
}
