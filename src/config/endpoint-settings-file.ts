import { readFile } from 'node:fs/promises';
import Joi from 'joi';

import type { EndpointSettings } from '../endpoint/definition.js';
import { ENDPOINT_SETTINGS } from '../endpoint/settings-schema.js';

/** Stands for every endpoint that does not say otherwise itself. */
export const EVERY_ENDPOINT = '*';

const SCHEMA = Joi.object<Record<string, Partial<EndpointSettings>>>({
  [EVERY_ENDPOINT]: Joi.object({ unknownParameters: ENDPOINT_SETTINGS.unknownParameters }),
})
  .pattern(Joi.string(), Joi.object(ENDPOINT_SETTINGS))
  .prefs({ abortEarly: false, convert: false });

/**
 * Reads the file that overrides settings of endpoints, by name or id; under `*` is what holds where an endpoint says nothing.
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
