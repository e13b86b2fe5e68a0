import { settleAll } from '../../support/settle-all.js';

describe('settleAll', () => {
  it('rejects with the first failure after every check has ended', async () => {
    const ended: number[] = [];
    const release = new EventTarget();
    const check = async (item: number): Promise<void> => {
      if (item === 1) throw new Error('first');
      await new Promise((resolve) => {
        release.addEventListener('release', resolve, { once: true });
      });
      ended.push(item);
    };
    let settled = false;
    const all = settleAll([1, 2, 3], check).finally(() => (settled = true));
    await new Promise(setImmediate);
    expect(settled).toBe(false);
    release.dispatchEvent(new Event('release'));
    await expect(all).rejects.toThrow('first');
    expect(ended).toEqual([2, 3]);
  });
});
