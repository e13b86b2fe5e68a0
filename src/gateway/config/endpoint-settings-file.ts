import { readFile } from 'node:fs/promises';
import Joi from 'joi';

import { closestName } from '../../endpoint/closest-name.js';
import type { EndpointSettings } from '../../endpoint/definition.js';
import { problemsBySchema } from '../../endpoint/schema-problems.js';
import { ENDPOINT_SETTINGS } from '../../endpoint/settings-schema.js';

/** The settings in the settings file. */
export interface SettingsOfFile {
  /** Settings of the endpoints that do not declare them. */
  readonly defaults: Pick<EndpointSettings, 'unknownParameters' | 'goneAfterSunset' | 'numbers'>;
  /** Settings that override those of an endpoint, by its name or id. */
  readonly overrides: ReadonlyMap<string, Partial<EndpointSettings>>;
}

// A default cannot be confused with an endpoint: names of endpoints are in lower case.
const { unknownParameters, goneAfterSunset, numbers } = ENDPOINT_SETTINGS;
const DEFAULTS = { unknownParameters, goneAfterSunset, numbers };
const SCHEMA = Joi.object<Record<string, Partial<EndpointSettings>> & SettingsOfFile['defaults']>(DEFAULTS)
  .pattern(Joi.string(), Joi.object(ENDPOINT_SETTINGS))
  .required()
  .prefs({ abortEarly: false, convert: false });

/**
 * Reads the file with the settings of this deployment.
 *
 * @throws Error that names the file and lists all problems in it.
 */
export async function readEndpointSettingsFile(file: string): Promise<SettingsOfFile> {
  const parsed = await parse(file);
  const result = SCHEMA.validate(parsed);
  if (result.error) {
    const unknown = problemsBySchema(SCHEMA, parsed, 'the file').filter(({ code }) => code === 'KEY_UNKNOWN');
    const others = result.error.details.filter(({ type }) => type !== 'object.unknown').map(textOf);
    const problems = [...others, ...unknown.map((found) => found.problem)].map((text) => `  ${text}`);
    throw new Error(`ENDPOINT_SETTINGS_FILE ${file} is invalid:\n${problems.join('\n')}`);
  }
  const { unknownParameters, goneAfterSunset, numbers, ...overrides } = result.value;
  return {
    defaults: {
      ...(unknownParameters && { unknownParameters }),
      ...(goneAfterSunset !== undefined && { goneAfterSunset }),
      ...(numbers && { numbers }),
    },
    overrides: new Map(Object.entries(overrides)),
  };
}

/** The text of a problem. A value that is not an object of settings may be meant as a default of all endpoints. */
function textOf({ type, path: [key, ...below], message }: Joi.ValidationErrorItem): string {
  if (type !== 'object.base' || key === undefined || below.length > 0) return message;
  const settings = Object.keys(DEFAULTS);
  const closest = closestName(String(key), settings);
  const advice =
    closest === undefined ? `those of all are ${settings.join(', ')}` : `did you mean \`${closest}\`?`;
  return `${message}, with the settings of the endpoint of that name; ${advice}`;
}

async function parse(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`ENDPOINT_SETTINGS_FILE ${file} can’t be read: ${reason}`, { cause });
  }
}
