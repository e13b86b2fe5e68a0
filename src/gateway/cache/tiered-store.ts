import type { CacheKey } from '../query/cache-key.js';
import { usableUntil } from '../query/call.js';
import { knownAt } from '../query/endpoint-result.js';
import type { ResultStore, PurgeScope } from '../query/result-store.js';
import type { LocalStore } from './local-store.js';

/** The local cache in front of the shared cache. A result from the shared cache is stored locally too. */
export class TieredStore implements ResultStore {
  /** @param onSharedHit called when the shared cache has a result that is missing or older in the local cache. */
  constructor(
    private readonly local: LocalStore,
    private readonly shared: ResultStore,
    private readonly onSharedHit: (key: CacheKey) => void = () => undefined,
  ) {}

  readonly get: ResultStore['get'] = async (key, newerThan = -Infinity, lease) => {
    const local = this.local.find(key.hash);
    if (local && this.local.isFresh(local) && knownAt(local) > newerThan) return local;
    const shared = await this.shared.get(key, newerThan, lease);
    if (!shared || (local && shared.createdAt <= local.createdAt)) return local;
    // A refresh is not a caller's hit.
    if (newerThan === -Infinity) this.onSharedHit(key);
    await this.local.set(key, shared, usableUntil(shared, key));
    return shared;
  };

  readonly set: ResultStore['set'] = async (key, result, usableUntil, lease) => {
    const local = this.local.find(key.hash);
    await this.local.set(key, result, usableUntil);
    // Each gateway confirms a shared result for itself. Sharing a confirmation would write the whole result again each time.
    if (local?.createdAt === result.createdAt && local.data && result.data) return;
    await this.shared.set(key, result, usableUntil, lease);
  };

  readonly purge = async (scope: PurgeScope): Promise<void> => {
    await Promise.all([this.local.purge(scope), this.shared.purge(scope)]);
  };
}
