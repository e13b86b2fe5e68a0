import type { Answer } from '../query/endpoint-result.js';
import type { AnswerStore, PurgeScope } from '../query/result-store.js';
import type { CacheKey } from '../query/cache-key.js';
import type { MemoryStore } from './local-store.js';

/** A near store over a far one: what the far one has is kept near as well. */
export class TieredStore implements AnswerStore {
  /**
   * @param keepUntilOf until when an answer found far is of use; milliseconds since 1970.
   * @param onFarHit told of each answer that only the far store had, or had in a newer one.
   */
  constructor(
    private readonly near: MemoryStore,
    private readonly far: AnswerStore,
    private readonly keepUntilOf: (key: CacheKey, answer: Answer) => number,
    private readonly onFarHit: (key: CacheKey) => void = () => undefined,
  ) {}

  readonly get = async (key: CacheKey): Promise<Answer | undefined> => {
    const near = await this.near.get(key);
    if (near && this.near.isFresh(near)) return near;
    const far = await this.far.get(key);
    if (!far || (near && near.bornAt >= far.bornAt)) return near;
    this.onFarHit(key);
    await this.near.set(key, far, this.keepUntilOf(key, far));
    return far;
  };

  readonly set = async (key: CacheKey, answer: Answer, keepUntil: number): Promise<void> => {
    await Promise.all([this.near.set(key, answer, keepUntil), this.far.set(key, answer, keepUntil)]);
  };

  readonly purge = async (scope: PurgeScope): Promise<void> => {
    await Promise.all([this.near.purge(scope), this.far.purge(scope)]);
  };
}
