import { fuzzRawHits } from '../support/raw-hits-fuzz.js';

/** `RAW_HITS_FUZZ=SECONDS:SEED` fuzzes for longer, or repeats a run. */
const [seconds = 4, seed = 1] = (process.env['RAW_HITS_FUZZ'] ?? '').split(':').filter(Boolean).map(Number);

describe('raw hits', () => {
  it(
    'have the responses and log lines of Node’s HTTP server, whatever bytes come',
    async () => {
      const { difference, connections, raw } = await fuzzRawHits(seed, seconds);
      if (difference) console.log(seed, connections, JSON.stringify(difference, undefined, 1));
      expect(difference).toBeUndefined();
      expect(raw).toBeGreaterThan(connections / 2);
    },
    (seconds + 60) * 1000,
  );
});
