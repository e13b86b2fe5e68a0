import type { IncomingMessage } from 'node:http';

import type { CallOutcome } from '../../query/call.js';
import { knownAt, type Bodies, type EndpointResult } from '../../query/endpoint-result.js';
import { deprecationHeaders } from './find-endpoint.js';
import { responseOf, type ResultResponse } from '../result/send-result.js';
import type { EveryResponse } from '../transport/every-response.js';
import { linesOf } from '../transport/raw-hits.js';
import type { ReadCall } from './read-call.js';
import { IGNORED_PARAMETERS } from './undeclared-parameters.js';

/** The response of a hit, without what it has alone: its id, its quotas and its `Server-Timing`. */
export interface HitHead extends Omit<ResultResponse, 'compressed'> {
  /** Between the id and the quotas: names and values alternate, as in `beforeTiming`, which follows the quotas. */
  readonly first: readonly string[];
  /** The three lists as lines. */
  readonly asLines: () => HeadLines;
}

export type HeadLines = Readonly<Record<'first' | 'beforeTiming' | 'afterTiming', string>>;

export interface HitHeadsDependencies {
  readonly everyResponse: Pick<EveryResponse, 'headersFor'>;
  /** Bytes of a result up to which every gateway finds it in the cache. */
  readonly maxRangedBytes: number;
  /** `PUBLIC_URL` */
  readonly publicUrl?: string | undefined;
}

/** A hit. */
export interface Hit {
  readonly call: ReadCall;
  readonly outcome: CallOutcome;
  /** Milliseconds since 1970. */
  readonly now: number;
}

type HitRequest = Pick<IncomingMessage, 'method' | 'headers'>;

/** A prepared head, and all that decided it. */
interface Prepared {
  readonly head: HitHead;
  readonly call: ReadCall;
  /** Of the result: a copy that is compressed later is another head's. */
  readonly bodies: Bodies;
  readonly age: number;
  readonly remaining: number;
  readonly request: readonly (string | undefined)[];
}

/**
 * The heads of hits. That of a result's latest hit is kept for the next one of the same second: to put it together costs as much
 * as all the rest that the fast path does.
 */
export class HitHeads {
  private readonly prepared = new WeakMap<EndpointResult, Prepared>();

  constructor(private readonly dependencies: HitHeadsDependencies) {}

  /** @param ofPage headers of the next page: a hit with these is not kept. */
  headOf(request: HitRequest, hit: Hit, ofPage: readonly string[] | undefined): HitHead {
    if (ofPage) return this.prepare(request, hit, ofPage);
    const { call, now } = hit;
    const { result } = hit.outcome;
    const age = Math.floor((now - knownAt(result)) / 1000);
    const remaining = Math.floor((result.expiresAt - now) / 1000);
    const known = this.prepared.get(result);
    if (known?.age === age && known.remaining === remaining && isOf(known, hit) && isFor(known, request))
      return known.head;
    const head = this.prepare(request, hit, []);
    this.prepared.set(result, {
      head,
      call,
      bodies: result.bodies,
      age,
      remaining,
      request: deciding(request),
    });
    return head;
  }

  private prepare(request: HitRequest, hit: Hit, ofPage: readonly string[]): HitHead {
    const { everyResponse, maxRangedBytes, publicUrl } = this.dependencies;
    const { list: first, vary } = everyResponse.headersFor(request.headers.origin);
    const response = responseOf(request, { maxRangedBytes, ...hit }, vary);
    const { call } = hit;
    const ignored = call.ignored === undefined ? [] : [IGNORED_PARAMETERS, call.ignored];
    const ofCall = [...deprecationHeaders(call.query.endpoint, publicUrl), ...ignored, ...ofPage];
    const { status, afterTiming, body } = response;
    const beforeTiming = [...ofCall, ...response.beforeTiming];
    let lines: HeadLines | undefined;
    const asLines = (): HeadLines =>
      (lines ??= {
        first: linesOf(first),
        beforeTiming: linesOf(beforeTiming),
        afterTiming: linesOf(afterTiming),
      });
    return { status, first, beforeTiming, afterTiming, body, asLines };
  }
}

const isOf = ({ call, bodies }: Prepared, hit: Hit): boolean =>
  call === hit.call && bodies === hit.outcome.result.bodies;

/** What of a request on the fast path decides the head. */
function deciding({ method, headers }: HitRequest): readonly (string | undefined)[] {
  return [method, headers['accept-encoding'], headers['if-none-match'], headers.origin];
}

function isFor({ request: [method, accepted, tags, origin] }: Prepared, request: HitRequest): boolean {
  const { headers } = request;
  return (
    method === request.method &&
    accepted === headers['accept-encoding'] &&
    tags === headers['if-none-match'] &&
    origin === headers.origin
  );
}
