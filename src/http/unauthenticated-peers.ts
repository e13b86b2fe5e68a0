/** A connection, as far as bounding it needs. */
export interface Peer {
  readonly bytesRead: number;
  readonly destroy: () => unknown;
}

/**
 * Milliseconds between two looks at what peers have sent. Node reports no bytes of an unfinished request, and 800 peers can
 * send some hundred megabytes in 50 ms; a look at 1,000 peers takes 0.2 ms.
 */
const LOOK_MS = 10;
/** What a request may hold without counting: nearly all have less, and closing them would free nothing. */
const SMALL_BYTES = 16 * 1024;

/** Unauthenticated connections of all servers, for {@link noteAuthenticated}. */
const unauthenticated = new WeakMap<Peer, UnauthenticatedPeers>();

/** Reports that a request on a connection was authenticated: from now on it is the key that answers for it. */
export function noteAuthenticated(peer: Peer): void {
  unauthenticated.get(peer)?.remove(peer);
}

/**
 * The connections of a server on which no request has been authenticated, and a bound on what they make the server hold:
 * the bytes of requests that are not finished, or not yet answered. Over it the oldest of the large requests is closed,
 * because a caller with a key is done within milliseconds, and who attacks is not.
 */
export class UnauthenticatedPeers {
  /** In the order in which they connected; bytes of the requests that have been answered. */
  private readonly responseBytesByPeer = new Map<Peer, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly maxBufferedBytes: number,
    private readonly onClosed: () => void = () => undefined,
  ) {}

  get oldest(): Peer | undefined {
    const [peer] = this.responseBytesByPeer.keys();
    return peer;
  }

  add(peer: Peer): void {
    this.responseBytesByPeer.set(peer, 0);
    unauthenticated.set(peer, this);
    this.timer ??= setInterval(() => {
      this.look();
    }, LOOK_MS).unref();
  }

  remove(peer: Peer): void {
    this.responseBytesByPeer.delete(peer);
    unauthenticated.delete(peer);
  }

  has(peer: Peer): boolean {
    return this.responseBytesByPeer.has(peer);
  }

  /**
   * Reports that a request of so many bytes was answered, which are not held any more. What was read beyond them belongs to
   * the next request, and is held.
   */
  noteResponse(peer: Peer, bytes: number): void {
    const before = this.responseBytesByPeer.get(peer);
    if (before !== undefined) this.responseBytesByPeer.set(peer, before + bytes);
  }

  /** Closes the oldest large requests until the others are within the bound. */
  look(): void {
    if (this.responseBytesByPeer.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const large = this.largeRequests();
    let held = large.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { peer, bytes } of large) {
      if (held <= this.maxBufferedBytes) return;
      held -= bytes;
      this.remove(peer);
      peer.destroy();
      this.onClosed();
    }
  }

  private largeRequests(): readonly { readonly peer: Peer; readonly bytes: number }[] {
    const large: { readonly peer: Peer; readonly bytes: number }[] = [];
    for (const [peer, responseBytes] of this.responseBytesByPeer) {
      const bytes = peer.bytesRead - responseBytes;
      if (bytes > SMALL_BYTES) large.push({ peer, bytes });
    }
    return large;
  }
}
