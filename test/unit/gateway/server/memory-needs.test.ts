import { readConfig } from '../../../../src/gateway/config/config.js';
import { lowMemoryLimit, memoryNeeds } from '../../../../src/gateway/server/memory-needs.js';

describe('memoryNeeds', () => {
  it.each([
    // 250 + 1.2 × 64, and 16 results of 256,000,000 bytes.
    [{}, { memoryMb: 407, maxMemoryMb: 407 + 16 * 245 }],
    [
      { CACHE_MEMORY_MB: '128', MAX_CONCURRENT_QUERIES: '8', QUERY_MAX_RESULT_BYTES: '1000' },
      { memoryMb: 484, maxMemoryMb: 484 + 8 * 32 },
    ],
  ])('adds the cache and the responses of %j to what every gateway needs', (environment, expected) => {
    expect(memoryNeeds(readConfig(environment))).toEqual(expected);
  });
});

describe('lowMemoryLimit', () => {
  const needs = { memoryMb: 314, maxMemoryMb: 5000 };
  it.each([
    ['no limit', 0, undefined],
    ['the largest number, which stands for no limit', 2 ** 64, undefined],
    ['as much as is needed', 314 * 2 ** 20, undefined],
    ['less', 313.5 * 2 ** 20, 313],
  ])('of a container with %s is as expected', (_what, bytes, expected) => {
    expect(lowMemoryLimit(needs, bytes)).toBe(expected);
  });
});
