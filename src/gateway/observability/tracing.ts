import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

import { OPERATORS } from '../../endpoint/figures.js';
import type { ExportOutcome } from '../query/ports.js';

export interface TracingConfig {
  /** Base URL of an OTLP/HTTP collector; traces are sent to its path `/v1/traces`. */
  readonly endpoint: string;
  readonly serviceName: string;
}

/** How a request ended. */
export interface EndedRequest {
  readonly name: string;
  readonly status: number;
  readonly attributes: () => Attributes;
}

/** The span of a request. */
export interface TracedRequest {
  /** Runs work of the request: spans that start there are its children. */
  readonly within: (work: () => void) => void;
  /** Ends the span. */
  readonly end: (ended: EndedRequest) => void;
}

/** The facts of a query's result that its span has; an export does not know all of them. */
type TracedResult = Partial<Pick<ExportOutcome, 'rowCount' | 'cost' | 'queryId'>>;

/** Traces requests and their queries with OpenTelemetry. */
export class Tracing {
  readonly #provider: NodeTracerProvider;
  readonly #tracer: Tracer;

  constructor({ endpoint, serviceName }: TracingConfig) {
    const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
    this.#provider = new NodeTracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName }),
      // The queue is bounded: it drops spans if the collector is too slow.
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
    });
    this.#provider.register();
    this.#tracer = this.#provider.getTracer('querygate');
  }

  /** Starts the span of a request, in the caller's trace if it sent one (`traceparent`, W3C Trace Context). */
  begin(headers: Headers): TracedRequest {
    const parent = propagation.extract(ROOT_CONTEXT, headers);
    const span = this.#tracer.startSpan('request', { kind: SpanKind.SERVER }, parent);
    const inside = trace.setSpan(parent, span);
    return {
      within: (work) => {
        context.with(inside, work);
      },
      end: (ended) => {
        endSpan(span, ended);
      },
    };
  }

  /**
   * Records the span of a request that has ended and had no other spans.
   *
   * @param startedAt of `performance.now()`.
   */
  record(headers: Headers, startedAt: number, ended: EndedRequest): void {
    const parent =
      headers['traceparent'] === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, headers);
    const span = this.#tracer.startSpan('request', { kind: SpanKind.SERVER, startTime: startedAt }, parent);
    if (span.isRecording()) endSpan(span, ended);
  }

  /** Gives each query a span, whose `traceparent` is sent to ClickHouse. */
  trace<Request extends { readonly traceHeaders?: Headers | undefined }, Result extends TracedResult>(
    runQuery: (request: Request) => Promise<Result>,
  ): (request: Request) => Promise<Result> {
    return (request) =>
      this.#tracer.startActiveSpan('ClickHouse query', { kind: SpanKind.CLIENT }, async (span) => {
        span.setAttributes({ 'db.system.name': 'clickhouse' });
        try {
          const result = await runQuery({ ...request, traceHeaders: headersOf(context.active()) });
          span.setAttributes({
            'db.response.returned_rows': result.rowCount ?? 0,
            'querygate.rows_read': result.cost?.readBy(OPERATORS).rowsRead ?? 0,
            'querygate.query_id': result.queryId ?? '',
          });
          return result;
        } catch (error) {
          failed(span, error);
          throw error;
        } finally {
          span.end();
        }
      });
  }

  /** Sends the remaining spans, and ends tracing. */
  close(): Promise<void> {
    return this.#provider.shutdown();
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function endSpan(span: Span, { name, status, attributes }: EndedRequest): void {
  span.updateName(name);
  span.setAttributes({ 'http.response.status_code': status, ...attributes() });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function headersOf(active: Context): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  propagation.inject(active, headers);
  return headers;
}

/** Marks a span as failed. Records the code only, because the message of a failure can contain values of the request. */
function failed(span: Span, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'INTERNAL';
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
}
