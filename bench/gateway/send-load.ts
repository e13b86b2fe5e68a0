import { connect } from 'node:net';

import { summarise } from '../measuring/sampling.js';
import type { Load, LoadResult } from './generate-load.js';
import { ResponseReader } from './response-reader.js';

const READ_BUFFER = 128 * 1024;

interface Sender {
  /** Sends the next request; `due` is when it should have been sent. */
  readonly send: (due: number) => void;
  readonly close: () => void;
}

/** Sends a load from this process. */
export const sendLoad = (load: Load): Promise<LoadResult> => new Run(load).perform();

/** What one run of a load has seen, and who may send the next request. */
class Run {
  private sent = 0;
  /** Connections that are not lost. */
  private open: number;
  private failures = 0;
  private latencies: number[] = [];
  private readonly idle: Sender[] = [];
  private readonly requests: readonly Buffer[];
  private isOver = false;
  private end: () => void = () => undefined;

  constructor(private readonly load: Load) {
    this.requests = load.requests.map((request) => Buffer.from(request));
    this.open = load.connections;
  }

  async perform(): Promise<LoadResult> {
    const { connections, seconds, rate } = this.load;
    const ended = new Promise<void>((resolve) => {
      this.end = resolve;
    });
    const senders = await Promise.all(Array.from({ length: connections }, () => this.connectSender()));
    const startedAt = performance.now();
    const timer = seconds === undefined ? undefined : setTimeout(this.end, seconds * 1000);
    if (rate === undefined) for (const sender of senders) sender.send(startedAt);
    else this.sendAtRate(senders, rate);
    await ended;
    clearTimeout(timer);
    this.isOver = true;
    const elapsed = (performance.now() - startedAt) / 1000;
    for (const { close } of senders) close();
    const { median, p99 } = summarise(this.latencies);
    const requests = this.latencies.length;
    return { requestsPerSecond: requests / elapsed, requests, p50: median, p99, failures: this.failures };
  }

  /** Latency counts from when a request was due, so that a stall of the server delays those behind it too. */
  private sendAtRate(senders: readonly Sender[], rate: number): void {
    this.idle.push(...senders);
    const startedAt = performance.now();
    let issued = 0;
    const due = (): number => startedAt + (issued * 1000) / rate;
    const tick = (): void => {
      const now = performance.now();
      while (due() <= now) {
        const sender = this.idle.pop();
        if (!sender) break;
        sender.send(due());
        issued += 1;
      }
      if (!this.isOver) setImmediate(tick);
    };
    tick();
  }

  private async connectSender(): Promise<Sender> {
    let due = 0;
    const reader = new ResponseReader();
    const { port, rate } = this.load;
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.alloc(READ_BUFFER),
        callback: (length, buffer) => {
          const status = reader.read(buffer as Buffer, length);
          if (status === undefined) return true;
          this.note(status === 200 || status === 304, performance.now() - due);
          if (rate === undefined) sender.send(performance.now());
          else this.idle.push(sender);
          return true;
        },
      },
    });
    const sender: Sender = {
      send: (at) => {
        if (this.sent === this.load.times) return;
        due = at;
        const request = this.requests[this.sent % this.requests.length] ?? '';
        this.sent += 1;
        socket.write(request);
      },
      close: () => void socket.destroy(),
    };
    socket
      .on('error', () => undefined)
      .on('close', () => {
        this.noteLoss();
      });
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    return sender;
  }

  /** A lost connection is not replaced: the failure matters more than the figures. */
  private noteLoss(): void {
    if (this.isOver) return;
    this.failures += 1;
    this.open -= 1;
    if (this.open === 0) this.end();
  }

  private note(isSuccess: boolean, milliseconds: number): void {
    if (!isSuccess) this.failures += 1;
    this.latencies.push(milliseconds);
    if (this.latencies.length === this.load.times) this.end();
  }
}
