/** Scripts on a key that holds its holder's token, for locks and leases: who has lost the key changes nothing. */

/**
 * Takes a free key, or renews one. KEYS: the key; ARGV: token, milliseconds that it lives from now on. Gives 1 where the token
 * holds it then. A full Redis refuses SET and not PEXPIRE, so that an owner can still renew.
 */
export const TAKE_OR_RENEW = `
  local owner = redis.call('get', KEYS[1])
  if owner == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end
  if owner then return 0 end
  redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1`;

/** KEYS: the key; ARGV: token, milliseconds that it lives from now on. Gives 1 where the token still holds it. */
export const RENEW_IF_HELD = `
  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('pexpire', KEYS[1], ARGV[2])`;

/** KEYS: the key; ARGV: token. Gives 1 where the token still held it. */
export const DELETE_IF_HELD = `
  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('del', KEYS[1])`;
