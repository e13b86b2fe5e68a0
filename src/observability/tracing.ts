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

import type { RunQuery } from '../query/ports.js';

export interface TracingConfig {
  /** Base URL of an OTLP/HTTP collector; traces go to `/v1/traces` below it. */
  readonly endpoint: string;
  readonly serviceName: string;
}

/** A request as its trace has it. */
export interface TracedRequest {
  /** Runs what belongs to the request: spans that begin there are its children. */
  readonly within: (work: () => void) => void;
  /** Ends its span. */
  readonly end: (name: string, status: number, attributes: Attributes) => void;
}

/** Traces of requests and of the queries that they cause, by OpenTelemetry. */
export class Tracing {
  readonly #provider: NodeTracerProvider;
  readonly #tracer: Tracer;

  constructor({ endpoint, serviceName }: TracingConfig) {
    const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
    this.#provider = new NodeTracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName }),
      // Bounded: what the collector does not take in time is dropped.
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
    });
    this.#provider.register();
    this.#tracer = this.#provider.getTracer('querygate');
  }

  /** Begins the span of a request, within the caller's trace where it sent one (`traceparent`, W3C Trace Context). */
  begin(headers: Readonly<Record<string, string | string[] | undefined>>): TracedRequest {
    const parent = propagation.extract(ROOT_CONTEXT, headers);
    const span = this.#tracer.startSpan('request', { kind: SpanKind.SERVER }, parent);
    const inside = trace.setSpan(parent, span);
    return {
      within: (work) => {
        context.with(inside, work);
      },
      end: (name, status, attributes) => {
        span.updateName(name);
        span.setAttributes({ ...attributes, 'http.response.status_code': status });
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  /** The same, each query a span of its own, whose `traceparent` goes on to ClickHouse. */
  trace(runQuery: RunQuery): RunQuery {
    return (request) =>
      this.#tracer.startActiveSpan('ClickHouse query', { kind: SpanKind.CLIENT }, async (span) => {
        span.setAttributes({ 'db.system.name': 'clickhouse' });
        try {
          const result = await runQuery({ ...request, traceHeaders: headersOf(context.active()) });
          span.setAttributes({
            'db.response.returned_rows': result.rowCount,
            'querygate.rows_read': result.rowsRead,
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

  /** Sends what waits, and stops. */
  close(): Promise<void> {
    return this.#provider.shutdown();
  }
}

function headersOf(active: Context): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  propagation.inject(active, headers);
  return headers;
}

/** By its code alone: texts of failures can hold values of the request. */
function failed(span: Span, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'INTERNAL';
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
}
