import Joi from 'joi';

import { addressSet } from './address-set.js';
import { parseInstant } from './instant.js';

/** Joi schemas of a key's rights, shared by the keys file and a token's claims. */

/** Names, ids or patterns of endpoints; at least one, because a key without any endpoint is a mistake. */
export const ENDPOINT_PATTERNS = Joi.array()
  .items(
    Joi.string()
      .lowercase()
      .max(100)
      .pattern(/^[a-z0-9.*@-]+$/)
      .messages({
        'string.pattern.base':
          '{#label} must be the name or id of an endpoint, in which * stands for any characters',
      }),
  )
  .min(1)
  .max(1000);

/** Pinned values by name. An empty value is invalid: some parameters treat it as omitted. */
export const PINNED_PARAMETERS = Joi.object<Readonly<Record<string, string>>>()
  .pattern(/^[a-z][a-z0-9_]{0,99}$/, Joi.string().max(1000))
  .max(100);

export const ADDRESSES = Joi.array()
  .items(
    Joi.string().custom((range: string) => {
      addressSet([range]);
      return range;
    }),
  )
  .min(1)
  .max(1000)
  .messages({ 'any.custom': '{#label}: {#error.message}' });

/** The time at which a key expires. */
export const INSTANT = Joi.string()
  .custom((text: string, helpers) => (parseInstant(text) === undefined ? helpers.error('any.invalid') : text))
  .messages({ 'any.invalid': '{#label} must be a date or time in ISO 8601, such as 2027-01-01' });

/** Pinned parameters as a principal has them; undefined if there are none. */
export function pinnedMap(
  fixed: Readonly<Record<string, string>> | undefined,
): ReadonlyMap<string, string> | undefined {
  return fixed && Object.keys(fixed).length > 0 ? new Map(Object.entries(fixed)) : undefined;
}
