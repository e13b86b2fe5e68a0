import Joi from 'joi';
import type { JWTPayload } from 'jose';

import { LIMIT_RULES } from '../../endpoint/limit-rules-schema.js';
import type { LimitRules } from '../../endpoint/limit-rules.js';
import { ENDPOINT_PATTERNS, PINNED_PARAMETERS, pinnedMap } from './key-rights.js';
import type { Principal } from './principal.js';

/** The claims that are read here; jose has verified the signature, issuer, audience and expiry. */
interface Claims {
  readonly sub: string;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly querygate: {
    readonly endpoints: readonly string[];
    readonly fixed: Readonly<Record<string, string>>;
    readonly limits?: LimitRules;
    readonly mayBypassCache?: false;
    readonly mayExport?: boolean;
  };
}

/**
 * Endpoints and pinned parameters are required (`["*"]` for all endpoints except `gateway.*`, `{}` for no pinned
 * parameters), so that a token made for another purpose with the same secret grants nothing.
 */
const CLAIMS = Joi.object<Claims>({
  sub: Joi.string()
    .pattern(/^[\w.@|-]{1,64}$/)
    .messages({ 'string.pattern.base': '{#label} must be 1 to 64 letters, digits or _ . @ | -' })
    .required(),
  exp: Joi.number().min(0).max(8_000_000_000_000).required(),
  querygate: Joi.object<Claims['querygate']>({
    endpoints: ENDPOINT_PATTERNS.required(),
    fixed: PINNED_PARAMETERS.required(),
    limits: LIMIT_RULES,
    mayBypassCache: Joi.valid(false),
    mayExport: Joi.boolean(),
  }).required(),
})
  .unknown()
  .prefs({ convert: false, abortEarly: false });

/**
 * The principal that the claims of a verified token describe.
 *
 * @param toleranceMs accepted after the token's expiry, for clocks that differ.
 * @throws Error with a text that the caller may see, because the issuer's signature has been verified.
 */
export function principalOfClaims(payload: JWTPayload, toleranceMs: number): Principal {
  const result = CLAIMS.validate(payload);
  if (result.error) throw new Error(result.error.details.map(({ message }) => message).join('; '));
  const { sub, exp, querygate } = result.value;
  return {
    name: `jwt:${sub}`,
    mayBypassCache: false,
    endpoints: querygate.endpoints,
    pinned: pinnedMap(querygate.fixed),
    mayExport: querygate.mayExport,
    limits: querygate.limits,
    expiresAt: exp * 1000 + toleranceMs,
    via: 'token',
  };
}
