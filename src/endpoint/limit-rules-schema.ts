import Joi from 'joi';

import type { LimitRules, Quota } from './limit-rules.js';

const QUOTA = Joi.object<Quota>({
  quota: Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER).required(),
  window: Joi.number().integer().min(1).max(86_400).required(),
});

/** Schema of limits in the keys file, in token claims and in endpoint settings. */
export const LIMIT_RULES = Joi.object<LimitRules>({
  requests: QUOTA,
  rowsRead: QUOTA,
  bytesRead: QUOTA,
  clickhouseMs: QUOTA,
  concurrent: Joi.number().integer().min(1).max(10_000),
});
