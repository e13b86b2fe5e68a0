import { ClickHouseError } from '@clickhouse/client';

/**
 * Handler for `catch`: returns a value instead of a result that ClickHouse rejects, and throws all other errors. It is for queries whose
 * error is reported elsewhere, and for optional queries that the user may lack the right to run.
 */
export const whereRejected =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof ClickHouseError) return value;
    throw error;
  };
