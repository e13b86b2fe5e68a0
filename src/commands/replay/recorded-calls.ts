import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';
import Joi from 'joi';

import { selectRows } from '../../gateway/clickhouse/select-rows.js';
import type { CallRow } from '../../gateway/observability/call-recorder.js';
import { CommandError, EXIT } from '../cli/exit-codes.js';

/** A distinct call, as `querygate replay --save` writes it in a line. */
export interface RecordedCall extends Readonly<Omit<CallRow, 'hour' | 'call' | 'definition' | 'format'>> {
  /** The hour in which it was made last, in UTC: `2026-05-17 10:00:00`. */
  readonly last: string;
}

const TEXT = `
  SELECT endpoint, parameters, pins, omitted, sum(calls) AS calls, sum(queries) AS queries, sum(rows_read) AS rows_read,
    round(sum(clickhouse_ms), 3) AS clickhouse_ms, toString(max(hour)) AS last
  FROM querygate_calls
  WHERE hour >= toStartOfHour(toDateTime({since:String}, 'UTC'))
  GROUP BY endpoint, parameters, pins, omitted
  ORDER BY calls DESC, endpoint, parameters, pins`;

/**
 * Reads the recorded calls, the most used first.
 *
 * @param since as ClickHouse reads a time in UTC: `2026-05-17 10:05:00`.
 * @throws CommandError where the table is missing or of an earlier version
 */
export function readRecordedCalls(
  client: ClickHouseClient,
  since: string,
  signal: AbortSignal,
): Promise<readonly RecordedCall[]> {
  const parameters = { since: since.slice(0, '2026-05-17 10:05:00'.length) };
  return selectRows<RecordedCall>(client, TEXT, parameters, {
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
    abort_signal: signal,
  }).catch(rethrowMissing);
}

/** @throws CommandError where the table of recorded calls is missing or of an earlier version; else the error itself */
export function rethrowMissing(cause: unknown): never {
  const isMissing =
    cause instanceof ClickHouseError && /^UNKNOWN_(?:TABLE|IDENTIFIER|DATABASE)$/.test(cause.type ?? '');
  if (!isMissing) throw cause;
  throw new CommandError(
    'The table of recorded calls is missing, or of an earlier version: run querygate migrate, and the gateway with RECORD_CALLS=on.',
    EXIT.failed,
    { cause },
  );
}

const PAIRS = Joi.array().items(
  Joi.array().ordered(
    Joi.string().required(),
    Joi.alternatives(Joi.string().allow(''), Joi.array().items(Joi.string().allow(''))),
  ),
);
const JSON_PAIRS = Joi.string()
  .allow('')
  .custom((text: string) => {
    if (text !== '') Joi.assert(JSON.parse(text), PAIRS);
    return text;
  });
const count = Joi.number().min(0).default(0);
const LINE = Joi.object<RecordedCall>({
  endpoint: Joi.string().required(),
  parameters: JSON_PAIRS.required().when('omitted', { is: '', then: JSON_PAIRS.invalid('') }),
  pins: JSON_PAIRS.default(''),
  omitted: Joi.string().allow('').default(''),
  calls: count.integer().default(1),
  queries: count,
  rows_read: count,
  clickhouse_ms: count,
  last: Joi.string().allow('').default(''),
});

/** Reads the lines that `querygate replay --save` has written. @throws CommandError that names the line */
export function parseRecordedCalls(text: string, file: string): readonly RecordedCall[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      const checked: Joi.ValidationResult<RecordedCall> = LINE.validate(JSON.parse(line));
      if (checked.error) throw checked.error;
      return [checked.value];
    } catch (cause) {
      const problem = `${file}:${index + 1}: a line must be a recorded call, as querygate replay --save writes it`;
      throw new CommandError(problem, EXIT.failed, { cause });
    }
  });
}
