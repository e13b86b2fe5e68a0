import Joi from 'joi';

/** Variables without effect. They are still validated, so that invalid values are reported. */
export interface RemovedVariables {
  readonly WORKERS: number;
}

export const REMOVED_VARIABLES = Joi.object<RemovedVariables, true>({
  WORKERS: Joi.number().integer().min(1).default(1),
}).prefs({ abortEarly: false, stripUnknown: true, errors: { wrap: { label: false } } });

/**
 * Rejects values that request a removed feature. `WORKERS=1` is accepted: every gateway is one process.
 *
 * @throws Error with one line that names the replacement.
 */
export function rejectRemoved({ WORKERS }: RemovedVariables): void {
  if (WORKERS <= 1) return;
  throw new Error(
    'WORKERS above 1 is no longer supported: run several gateways that share a Redis (REDIS_URL) behind a proxy, ' +
      'with docker compose up --scale gateway=N or the unit that querygate init --deploy systemd writes',
  );
}
