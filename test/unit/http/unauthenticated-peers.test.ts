import { noteAuthenticated, UnauthenticatedPeers } from '../../../src/http/unauthenticated-peers.js';

const KB = 1024;

class FakePeer {
  bytesRead = 0;
  isClosed = false;

  destroy(): void {
    this.isClosed = true;
  }
}

/** Peers with a bound of 100 KiB, in the order in which they connected, and what each has sent. */
function connected(...sentKb: readonly number[]) {
  let closed = 0;
  const peers = new UnauthenticatedPeers(100 * KB, () => (closed += 1));
  const all = sentKb.map((kb) => {
    const peer = new FakePeer();
    peers.add(peer);
    peer.bytesRead = kb * KB;
    return peer;
  });
  const look = (): readonly boolean[] => {
    peers.look();
    return all.map(({ isClosed }) => isClosed);
  };
  return { peers, all, look, closed: () => closed };
}

describe('unauthenticated peers', () => {
  it('are left alone within the bound', () => {
    expect(connected(50, 50).look()).toEqual([false, false]);
  });

  it('are closed over the bound, the oldest first, until the others are within', () => {
    const { look, closed } = connected(60, 20, 60, 30);
    expect(look()).toEqual([true, true, false, false]);
    expect(closed()).toBe(2);
  });

  it('are not closed for small requests, however many there are', () => {
    const { look } = connected(...Array.from({ length: 100 }, () => 16), 90);
    expect(look()).not.toContain(true);
  });

  it('are bounded anew after each response', () => {
    const { peers, all, look } = connected(90, 90);
    const [first] = all;
    if (first) peers.noteResponse(first, 90 * KB);
    expect(look()).toEqual([false, false]);
    if (first) first.bytesRead += 20 * KB;
    expect(look()).toEqual([true, false]);
  });

  it('are bounded no more once a request was authenticated, whatever they send', () => {
    const { peers, all, look } = connected(90, 90, 90);
    const [first, second] = all;
    if (first) noteAuthenticated(first);
    expect(look()).toEqual([false, true, false]);
    if (first) peers.noteResponse(first, 90 * KB);
    if (second) noteAuthenticated(second);
    expect(peers.oldest).toBe(all[2]);
  });
});
