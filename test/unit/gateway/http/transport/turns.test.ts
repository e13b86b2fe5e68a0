import { setImmediate as nextTurn } from 'node:timers/promises';

import { Turns } from '../../../../../src/gateway/http/transport/turns.js';

describe('turns', () => {
  it('run so much work in each turn of the event loop, in the order in which it came', async () => {
    const turns = new Turns(3);
    const done: number[] = [];
    const doneAfterTurn: number[] = [];
    for (let work = 0; work < 8; work += 1) turns.run(() => done.push(work));
    do {
      doneAfterTurn.push(done.length);
      await nextTurn();
    } while (done.length < 8);
    expect(doneAfterTurn).toEqual([3, 6]);
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('count the work that work leads to', async () => {
    const turns = new Turns(3);
    let done = 0;
    const repeat = (): void => {
      done += 1;
      if (done < 7) turns.run(repeat);
    };
    turns.run(repeat);
    expect(done).toBe(3);
    await nextTurn();
    expect(done).toBe(6);
  });
});
