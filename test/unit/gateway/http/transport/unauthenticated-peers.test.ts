import {
  noteAuthenticated,
  UnauthenticatedPeers,
} from '../../../../../src/gateway/http/transport/unauthenticated-peers.js';

const KB = 1024;

class FakePeer {
  bytesRead = 0;
  isClosed = false;

  destroy(): void {
    this.isClosed = true;
  }
}

/** Peers with a limit of 100 KiB, in the order of connecting, each of which has sent that many KiB. */
function connected(...sentKb: readonly number[]) {
  let closed = 0;
  const peers = new UnauthenticatedPeers(100 * KB, () => (closed += 1));
  const all = sentKb.map((kb) => {
    const peer = new FakePeer();
    peers.add(peer);
    peer.bytesRead = kb * KB;
    return peer;
  });
  const check = (): readonly boolean[] => {
    peers.closeLargeRequests();
    return all.map(({ isClosed }) => isClosed);
  };
  return { peers, all, check, closed: () => closed };
}

describe('UnauthenticatedPeers', () => {
  it('closes nothing within the limit', () => {
    expect(connected(50, 50).check()).toEqual([false, false]);
  });

  it('closes the oldest peers until the others are within the limit', () => {
    const { check, closed } = connected(60, 20, 60, 30);
    expect(check()).toEqual([true, true, false, false]);
    expect(closed()).toBe(2);
  });

  it('does not close small requests, however many there are', () => {
    const { check } = connected(...Array.from({ length: 100 }, () => 16), 90);
    expect(check()).not.toContain(true);
  });

  it('subtracts a request’s bytes after its response', () => {
    const { peers, all, check } = connected(90, 90);
    const [first] = all;
    if (first) peers.noteResponse(first, 90 * KB);
    expect(check()).toEqual([false, false]);
    if (first) first.bytesRead += 20 * KB;
    expect(check()).toEqual([true, false]);
  });

  it('does not close a peer that has authenticated', () => {
    const { peers, all, check } = connected(90, 90, 90);
    const [first, second] = all;
    if (first) noteAuthenticated(first);
    expect(check()).toEqual([false, true, false]);
    if (first) peers.noteResponse(first, 90 * KB);
    if (second) noteAuthenticated(second);
    expect(peers.oldest).toBe(all[2]);
  });
});
