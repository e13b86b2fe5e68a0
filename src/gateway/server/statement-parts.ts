import type { Clock, RunScheduledStatement } from '../query/ports.js';
import { createStatementCheck, type CheckStatement } from '../tables/check-statement.js';
import { ServerVersion } from '../tables/server-version.js';
import { createZoneCheck, type CheckZone } from '../tables/session-zone.js';
import type { Scheduler } from './open-scheduler.js';

/** What checks and runs statements over tables. */
export interface StatementRunning {
  readonly checkStatement: CheckStatement;
  readonly checkZone: CheckZone;
  readonly runStatement: RunScheduledStatement;
  readonly serverVersion: ServerVersion;
}

export function statementParts({ analyzeSql, runStatement }: Scheduler, clock: Clock): StatementRunning {
  return {
    checkStatement: createStatementCheck(analyzeSql),
    checkZone: createZoneCheck(analyzeSql),
    serverVersion: new ServerVersion(analyzeSql, clock),
    runStatement,
  };
}
