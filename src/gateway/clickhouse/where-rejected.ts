import { ClickHouseError } from '@clickhouse/client';

/**
 * For `catch`: a value in place of a result that ClickHouse rejects, of a query that is reported elsewhere or of a user without the
 * right to what would only be helpful. All other errors are thrown.
 */
export const whereRejected =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof ClickHouseError) return value;
    throw error;
  };
