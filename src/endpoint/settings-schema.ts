import Joi from 'joi';

import { NUMBERS, type EndpointSettings, type ExportRules, type QueryLimits } from './definition.js';
import type { UntilChanged } from './caching.js';
import { LIMIT_RULES } from './limit-rules-schema.js';

const QUERY_LIMITS = Joi.object<QueryLimits>({
  timeoutSeconds: Joi.number().positive(),
  maxMemoryBytes: Joi.number().integer().min(1),
  maxRowsToRead: Joi.number().integer().min(1),
  maxBytesToRead: Joi.number().integer().min(1),
  maxResultBytes: Joi.number().integer().min(1),
});

/** What an export may have at most: the users file of the read-only user in ClickHouse allows as much. */
export const MOST_EXPORTED = { rows: 1_000_000_000, seconds: 3600, bytes: 1_000_000_000_000 } as const;

const EXPORT_RULES = Joi.object<ExportRules>({
  maxRows: Joi.number().integer().min(1).max(MOST_EXPORTED.rows).required(),
  maxSeconds: Joi.number().integer().min(1).max(MOST_EXPORTED.seconds).required(),
});

/** A schema for each execution setting, which endpoint files declare and the settings file overrides. */
export const ENDPOINT_SETTINGS = {
  maxRows: Joi.number().integer().min(1),
  caching: Joi.alternatives(
    Joi.valid('disabled', 'until-changed'),
    Joi.number().integer().min(1),
    Joi.object<UntilChanged>({
      untilChanged: Joi.valid(true).required(),
      check: Joi.number().integer().min(1),
      atMost: Joi.number().integer().min(1).min(Joi.ref('check')),
    }),
  ),
  warming: Joi.number().integer().min(0),
  sandboxing: Joi.valid('enabled', 'disabled'),
  staleIfError: Joi.number().integer().min(0),
  queryLimits: QUERY_LIMITS,
  limits: LIMIT_RULES,
  exports: EXPORT_RULES,
  unknownParameters: Joi.valid('ignore', 'reject'),
  goneAfterSunset: Joi.boolean(),
  numbers: Joi.valid(...NUMBERS),
  tables: Joi.boolean(),
} satisfies Record<keyof EndpointSettings, Joi.Schema>;
