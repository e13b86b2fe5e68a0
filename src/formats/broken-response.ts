import { Failure } from '../errors.js';

/** What ClickHouse sent is not the whole of an answer. */
export function brokenResponse(diagnosis: string): Failure {
  return new Failure('CLICKHOUSE_ANSWER_BROKEN', 'The answer of ClickHouse was not complete. Try again.', {
    diagnosis,
  });
}
