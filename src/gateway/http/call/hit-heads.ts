import type { IncomingMessage } from 'node:http';

import type { CallOutcome } from '../../query/call.js';
import { knownAt, type Bodies, type EndpointResult } from '../../query/endpoint-result.js';
import { deprecationHeaders } from '../result/deprecation-headers.js';
import { responseOf, type ResultResponse } from '../result/send-result.js';
import type { EveryResponse } from '../transport/every-response.js';
import { linesOf } from '../transport/raw-hits.js';
import type { ReadCall } from './read-call.js';
import { IGNORED_PARAMETERS } from './undeclared-parameters.js';

/** The response of a hit, without the headers that differ for each request: its id, its quotas and its `Server-Timing`. */
export interface HitHead extends Omit<ResultResponse, 'compressed'> {
  /** Headers between the id and the quotas, in which names and values alternate; `beforeTiming` follows the quotas. */
  readonly first: readonly string[];
  /** The three lists as header lines. */
  readonly asLines: () => HeadLines;
}

export type HeadLines = Readonly<Record<'first' | 'beforeTiming' | 'afterTiming', string>>;

export interface HitHeadsDependencies {
  readonly everyResponse: Pick<EveryResponse, 'headersFor'>;
  /** Maximum bytes of a result that every gateway finds in the cache. */
  readonly maxRangedBytes: number;
  /** `PUBLIC_URL` */
  readonly publicUrl?: string | undefined;
}

/** A cache hit of a call. */
export interface Hit {
  readonly call: ReadCall;
  readonly outcome: CallOutcome;
  /** Time of the request; milliseconds since 1970. */
  readonly now: number;
}

type HitRequest = Pick<IncomingMessage, 'method' | 'headers'>;

/** A prepared head, and everything that determines it. */
interface Prepared {
  readonly head: HitHead;
  readonly call: ReadCall;
  /** Bodies of the result. A head no longer fits once a compressed copy is added. */
  readonly bodies: Bodies;
  readonly age: number;
  readonly remaining: number;
  readonly request: readonly (string | undefined)[];
}

/**
 * The heads of hits. The head of the latest hit of a result is reused for further hits in the same second, because it takes as
 * much time as all other work of the fast path.
 */
export class HitHeads {
  private readonly prepared = new WeakMap<EndpointResult, Prepared>();

  constructor(private readonly dependencies: HitHeadsDependencies) {}

  /** @param ofPage headers of the next page; a head with these is not reused. */
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

/** The properties of a request that determine the head. */
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
