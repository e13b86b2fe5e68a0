import type { Channel } from './channel.js';

/** What one side of a channel can be asked: a function of one value each. */
export type Calls = Readonly<Record<string, (params: never) => unknown>>;

/** How one side answers what it is asked. */
export type Handlers<Mine> = {
  readonly [Method in keyof Mine]: Mine[Method] extends (params: infer Params) => infer Result
    ? (params: Params) => Result | Promise<Result>
    : never;
};

type Params<Theirs, Method extends keyof Theirs> = Theirs[Method] extends (params: infer P) => unknown
  ? P
  : never;
type Result<Theirs, Method extends keyof Theirs> = Theirs[Method] extends (params: never) => infer R
  ? R
  : never;

/** On the wire. */
interface Envelope {
  readonly kind: 'call' | 'tell' | 'reply';
  readonly id: number;
  readonly method: string;
  readonly value: unknown;
  /** Of a reply: what went wrong. */
  readonly error?: string;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

const GONE = 'the other process has gone';

/** Asks the process at the other end of a channel, and answers what that one asks. */
export class Peer<Mine, Theirs> {
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private isClosed = false;
  private isHeard = false;

  /** @param onFault told of each error of a handler whose result nobody waits for. */
  constructor(
    private readonly channel: Channel,
    private readonly handlers: Handlers<Mine>,
    private readonly onFault: (error: unknown) => void,
  ) {
    channel.onMessage((message) => {
      this.receive(message as Envelope);
    });
  }

  /** Whether anything came from the other side yet. */
  get hasSpoken(): boolean {
    return this.isHeard;
  }

  /**
   * Asks, and waits for the reply for so many milliseconds.
   *
   * @throws Error where none comes, the other side failed, or it has gone.
   */
  call<Method extends keyof Theirs & string>(
    method: Method,
    params: Params<Theirs, Method>,
    timeoutMs: number,
  ): Promise<Result<Theirs, Method>> {
    if (this.isClosed) return Promise.reject(new Error(GONE));
    this.lastId += 1;
    const id = this.lastId;
    return new Promise<Result<Theirs, Method>>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(id);
        reject(new Error(`${method} was not answered within ${timeoutMs} ms`));
      }, timeoutMs);
      this.pending.set(id, { resolve: resolve as Pending['resolve'], reject, timer });
      this.channel.send({ kind: 'call', id, method, value: params } satisfies Envelope);
    });
  }

  /** Says something that needs no reply. */
  tell<Method extends keyof Theirs & string>(method: Method, params: Params<Theirs, Method>): void {
    this.channel.send({ kind: 'tell', id: 0, method, value: params } satisfies Envelope);
  }

  /** Gives up what is still waited for: the other side has gone. What is read of it from here on is dropped. */
  close(): void {
    this.isClosed = true;
    for (const { reject, timer } of this.pending.values()) {
      clearTimeout(timer);
      reject(new Error(GONE));
    }
    this.pending.clear();
  }

  private receive(envelope: Envelope): void {
    // The end of a process can be told before the last of its messages: nobody would ever undo what they begin.
    if (this.isClosed) return;
    this.isHeard = true;
    if (envelope.kind === 'reply') this.settle(envelope);
    else void this.handle(envelope);
  }

  private settle({ id, value, error }: Envelope): void {
    const pending = this.pending.get(id);
    // One that comes too late was given up.
    if (!pending) return;
    this.pending.delete(id);
    clearTimeout(pending.timer);
    if (error === undefined) pending.resolve(value);
    else pending.reject(new Error(error));
  }

  private async handle({ kind, id, method, value }: Envelope): Promise<void> {
    try {
      const handler = this.handlers[method as keyof Mine] as ((params: unknown) => unknown) | undefined;
      // A worker of a newer build can know more than a primary that has run since the day before.
      if (!handler) throw new Error(`${method} is nothing that this process knows`);
      const result = await handler(value);
      if (kind === 'call') this.reply(id, method, result);
    } catch (error) {
      if (kind === 'call') this.reply(id, method, undefined, String(error));
      else this.onFault(error);
    }
  }

  private reply(id: number, method: string, value: unknown, error?: string): void {
    const envelope: Envelope = {
      kind: 'reply',
      id,
      method,
      value,
      ...(error !== undefined && { error }),
    };
    this.channel.send(envelope);
  }
}
