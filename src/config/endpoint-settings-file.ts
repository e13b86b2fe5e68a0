import { readFile } from 'node:fs/promises';
import Joi from 'joi';

import type { EndpointSettings, QueryLimits } from '../endpoint/definition.js';
import { LIMIT_RULES } from '../limits/limit-rules.js';

const QUERY_LIMITS = Joi.object<QueryLimits>({
  timeoutSeconds: Joi.number().positive(),
  maxMemoryBytes: Joi.number().integer().min(1),
  maxRowsToRead: Joi.number().integer().min(1),
  maxBytesToRead: Joi.number().integer().min(1),
  maxResultBytes: Joi.number().integer().min(1),
});

const SETTINGS = Joi.object<Partial<EndpointSettings>>({
  maxRows: Joi.number().integer().min(1),
  caching: Joi.alternatives(Joi.valid('disabled'), Joi.number().integer().min(1)),
  warming: Joi.number().integer().min(0),
  sandboxing: Joi.valid('enabled', 'disabled'),
  staleIfError: Joi.number().integer().min(0),
  queryLimits: QUERY_LIMITS,
  limits: LIMIT_RULES,
});

const SCHEMA = Joi.object<Record<string, Partial<EndpointSettings>>>()
  .pattern(Joi.string(), SETTINGS)
  .prefs({ abortEarly: false, convert: false });

/**
 * Reads the file that overrides settings of endpoints, by name or id.
 *
 * @throws Error that names the file and lists all problems in it.
 */
export async function readEndpointSettingsFile(
  file: string,
): Promise<ReadonlyMap<string, Partial<EndpointSettings>>> {
  const parsed = await parse(file);
  const result = SCHEMA.validate(parsed);
  if (result.error) {
    const problems = result.error.details.map(({ message }) => `  ${message}`);
    throw new Error(`ENDPOINT_SETTINGS_FILE ${file} is invalid:\n${problems.join('\n')}`);
  }
  return new Map(Object.entries(result.value));
}

async function parse(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`ENDPOINT_SETTINGS_FILE ${file} can’t be read: ${reason}`, { cause });
  }
}
