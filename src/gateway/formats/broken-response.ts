import { Failure } from '../errors.js';

/** The failure of a response of ClickHouse that is not complete. */
export function brokenResponse(diagnosis: string): Failure {
  return new Failure('CLICKHOUSE_ANSWER_BROKEN', 'The response of ClickHouse was not complete. Try again.', {
    diagnosis,
  });
}
