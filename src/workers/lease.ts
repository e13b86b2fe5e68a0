/** A lease that one of the workers can hold. */
export class Lease<Member> {
  private held: { readonly member: Member; readonly token: string; until: number } | undefined;

  /** @param now milliseconds, never going back. */
  constructor(private readonly now: () => number) {}

  take(member: Member, token: string, leaseMs: number): boolean {
    if (this.held && this.held.until > this.now()) return false;
    this.held = { member, token, until: this.now() + leaseMs };
    return true;
  }

  /** Whether the token still held it. */
  renew(token: string, leaseMs: number): boolean {
    if (this.held?.token !== token || this.held.until <= this.now()) return false;
    this.held.until = this.now() + leaseMs;
    return true;
  }

  release(token: string): void {
    if (this.held?.token === token) this.held = undefined;
  }

  /** A worker has gone: another need not wait for the lease's end. */
  leave(member: Member): void {
    if (this.held?.member === member) this.held = undefined;
  }
}
