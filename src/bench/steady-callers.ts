import { Agent, request } from 'node:http';

/** What came of the requests of callers that ask without a pause. */
export interface Counts {
  readonly sent: number;
  /** Complete answers with status 200 and the whole body. */
  readonly answered: number;
  /** What happened to the others. */
  readonly lost: readonly string[];
}

/** So many callers, each on a connection that it keeps alive, asking again as soon as it is answered. */
export class SteadyCallers {
  private sent = 0;
  private answered = 0;
  private readonly lost: string[] = [];
  private isOver = false;
  private readonly callers: readonly Promise<void>[];

  /** @param expected the end of a complete body. */
  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
    count: number,
    private readonly expected: string,
  ) {
    this.callers = Array.from({ length: count }, () => this.call());
  }

  get counts(): Counts {
    return { sent: this.sent, answered: this.answered, lost: this.lost };
  }

  /** Ends when every caller has its last answer. */
  async stop(): Promise<Counts> {
    this.isOver = true;
    await Promise.all(this.callers);
    return this.counts;
  }

  private async call(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.isOver) {
      this.sent += 1;
      try {
        const { status, body } = await this.ask(agent);
        if (status === 200 && body.endsWith(this.expected)) this.answered += 1;
        else this.lost.push(`status ${status}, ${body.length} characters`);
      } catch (error) {
        this.lost.push((error as NodeJS.ErrnoException).code ?? String(error));
      }
    }
    agent.destroy();
  }

  private ask(agent: Agent): Promise<{ readonly status: number; readonly body: string }> {
    return new Promise((resolve, reject) => {
      request(this.url, { agent, headers: { ...this.headers } }, (response) => {
        let body = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => (body += chunk))
          .on('error', reject)
          .on('end', () => {
            if (response.complete) resolve({ status: response.statusCode ?? 0, body });
            else reject(new Error('the answer was cut'));
          });
      })
        .on('error', reject)
        .end();
    });
  }
}
