import { readPreferences } from '../../../../../src/gateway/http/call/sent-call.js';

describe('readPreferences', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['wait=10', 10],
    ['wait=0', 0],
    ['Wait = "7"', 7],
    ['respond-async, wait=10', 10],
    ['wait=10; because="no, wait=3"', 10],
    ['because="no, wait=3", wait=10', 10],
    ['because="no\\", wait=3", wait=10', 10],
    ['because="no, wait=3', undefined],
    ['handling=lenient;wait=4, wait=5, wait=6', 5],
    ['wait', undefined],
    ['wait=', undefined],
    ['wait=-1', undefined],
    ['wait=1.5', undefined],
    ['wait=1e3', undefined],
    ['wait=0x10', undefined],
    ['wait=99999999999999999999', undefined],
    ['await=3', undefined],
    [`wait=${' '.repeat(16_000)}x`, undefined],
  ])('reads the wait of %j as %j', (header, wait) => {
    expect(readPreferences(header).waitSeconds).toBe(wait);
  });

  it.each([
    ['timestamps=unix-micros', 'unix-micros'],
    ['timestamps="unix-micros"', 'unix-micros'],
    ['wait=5, Timestamps=Unix-Micros; x=y', 'unix-micros'],
    ['timestamps=iso', 'iso'],
    ['timestamps=iso, timestamps=unix-micros', 'iso'],
    ['timestamps=seconds', undefined],
    ['timestamps', undefined],
    ['wait=5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads the timestamps of %j as %j', (header, timestamps) => {
    expect(readPreferences(header).timestamps).toBe(timestamps);
  });

  it.each([
    ['handling=strict', 'strict'],
    ['handling=lenient', 'lenient'],
    ['Handling = "Strict"', 'strict'],
    ['respond-async, wait=10;a="b, handling=lenient", handling=strict;c', 'strict'],
    ['because="\\", handling=lenient", handling=strict', 'strict'],
    ['handling=lenient, handling=strict', 'lenient'],
    ['handling=loose, handling=strict', undefined],
    ['wait=5;handling=strict', undefined],
    ['because="handling=strict"', undefined],
    ['handling="strict', undefined],
    ['handling', undefined],
    [undefined, undefined],
  ])('reads the handling of %j as %j', (header, handling) => {
    expect(readPreferences(header).isStrict).toBe(handling === 'strict');
  });
});
