import { readConfig } from '../../../src/config/config.js';
import { shareOfPlaces } from '../../../src/workers/share-of-places.js';

const shares = (workers: number, slots: number, maxWaiting: number): readonly (readonly number[])[] =>
  Array.from({ length: workers }, (_, number) => {
    const share = shareOfPlaces({ slots, maxWaiting }, workers, number);
    return [share.slots, share.maxWaiting];
  });

describe('the places for queries', () => {
  it('are dealt out to the last one, and none twice', () => {
    expect(shares(3, 16, 1024)).toEqual([
      [6, 342],
      [5, 341],
      [5, 341],
    ]);
    for (let workers = 1; workers <= 64; workers += 1) {
      for (const [slots, maxWaiting] of [
        [workers, 0],
        [64, 1],
        [100, 1024],
      ] as const) {
        const dealt = shares(workers, slots, maxWaiting);
        expect(dealt.reduce((sum, [share = NaN]) => sum + share, 0)).toBe(slots);
        expect(dealt.reduce((sum, [, share = NaN]) => sum + share, 0)).toBe(maxWaiting);
        expect(Math.min(...dealt.map(([share = NaN]) => share))).toBeGreaterThan(0);
      }
    }
  });

  it('keep what else is configured', () => {
    const { admission } = readConfig({ QUEUE_TIMEOUT_SECONDS: '7' });
    expect(shareOfPlaces(admission, 2, 1)).toEqual({ slots: 8, maxWaiting: 512, maxWaitMs: 7000 });
  });
});
