import Joi from 'joi';

/** Variables that no longer do anything. Their values are still validated, so that a mistyped one is reported. */
export interface RemovedVariables {
  readonly WORKERS: number;
}

export const REMOVED_VARIABLES = Joi.object<RemovedVariables, true>({
  WORKERS: Joi.number().integer().min(1).default(1),
}).prefs({ abortEarly: false, stripUnknown: true, errors: { wrap: { label: false } } });

/**
 * Rejects a value that asks for what was removed. One process, `WORKERS=1`, is what every gateway is.
 *
 * @throws Error of one line that names the replacement.
 */
export function rejectRemoved({ WORKERS }: RemovedVariables): void {
  if (WORKERS <= 1) return;
  throw new Error(
    'WORKERS above 1 is no longer supported: run several gateways that share a Redis (REDIS_URL) behind a proxy, ' +
      'with docker compose up --scale gateway=N or deploy/querygate@.service',
  );
}
