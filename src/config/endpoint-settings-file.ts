import { readFile } from 'node:fs/promises';
import Joi from 'joi';

import type { EndpointSettings } from '../endpoint/definition.js';

const SETTINGS = Joi.object<Partial<EndpointSettings>>({
  maxRows: Joi.number().integer().min(1),
  caching: Joi.alternatives(Joi.valid('disabled'), Joi.number().integer().min(1)),
  warming: Joi.number().integer().min(0),
  sandboxing: Joi.valid('enabled', 'disabled'),
  staleIfError: Joi.number().integer().min(0),
});

const SCHEMA = Joi.object<Record<string, Partial<EndpointSettings>>>()
  .pattern(Joi.string(), SETTINGS)
  .prefs({ abortEarly: false, convert: false });

/**
 * Reads the file that overrides execution settings of endpoints, by name or id.
 *
 * @throws Error naming the file and everything in it that is wrong.
 */
export async function readEndpointSettingsFile(
  file: string,
): Promise<ReadonlyMap<string, Partial<EndpointSettings>>> {
  const parsed = await parse(file);
  const result = SCHEMA.validate(parsed);
  if (result.error) {
    const problems = result.error.details.map(({ message }) => `  ${message}`);
    throw new Error(`ENDPOINT_SETTINGS_FILE ${file} is not as it should be:\n${problems.join('\n')}`);
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
