/** The part of a socket that limiting needs. */
export interface Peer {
  readonly bytesRead: number;
  readonly destroy: () => unknown;
}

/**
 * Milliseconds between two checks of the bytes that peers have sent. Node emits no event for the bytes of an unfinished
 * request, and 800 peers can send some hundred megabytes in 50 ms. A check of 1,000 peers takes 0.2 ms.
 */
const CHECK_MS = 10;
/** Requests up to this size do not count: nearly all are smaller, and closing them would free nothing. */
const SMALL_BYTES = 16 * 1024;

/** Unauthenticated connections of all servers, for {@link noteAuthenticated}. */
const unauthenticated = new WeakMap<Peer, UnauthenticatedPeers>();

/** Reports that a request on a connection was authenticated: the limits here no longer apply to the connection. */
export function noteAuthenticated(peer: Peer): void {
  unauthenticated.get(peer)?.remove(peer);
}

/**
 * The connections of a server on which no request has been authenticated, and a limit on the bytes that the server buffers
 * for their unfinished requests. Over the limit, it closes the connections of the oldest large requests: a caller with a
 * key authenticates within milliseconds, an attacker does not.
 */
export class UnauthenticatedPeers {
  /** Bytes of the requests that were responded to, by peer, in the order of connecting. */
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
      this.closeLargeRequests();
    }, CHECK_MS).unref();
  }

  remove(peer: Peer): void {
    this.responseBytesByPeer.delete(peer);
    unauthenticated.delete(peer);
  }

  has(peer: Peer): boolean {
    return this.responseBytesByPeer.has(peer);
  }

  /**
   * Reports a response to a request of that many bytes, which are no longer buffered. Bytes beyond them belong to the next
   * request and still count.
   */
  noteResponse(peer: Peer, bytes: number): void {
    const before = this.responseBytesByPeer.get(peer);
    if (before !== undefined) this.responseBytesByPeer.set(peer, before + bytes);
  }

  /** Closes the connections of the oldest large requests until the others are within the limit. */
  closeLargeRequests(): void {
    if (this.responseBytesByPeer.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const large = this.largeRequests();
    let buffered = large.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { peer, bytes } of large) {
      if (buffered <= this.maxBufferedBytes) return;
      buffered -= bytes;
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
