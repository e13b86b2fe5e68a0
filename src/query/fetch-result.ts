import { bindQuery } from '../endpoint/bind.js';
import { bindSandboxedQuery } from '../endpoint/bind-sandboxed.js';
import { rowCap, type Endpoint } from '../endpoint/endpoint.js';
import { Failure } from '../errors.js';
import { inOwnMemory, type Answer, type Bodies } from './endpoint-result.js';
import type { AnswerStore } from './result-store.js';
import type { CacheKey } from './cache-key.js';
import { keepUntil, type Question } from './call.js';
import { digestOf, encodeBodies } from './encode-bodies.js';
import type { Asker, Clock, RunQuery } from './ports.js';
import { FORMAT_FACTS, JSON_REPRESENTATION, type Representation } from '../formats/representation.js';
import { heldParameters } from './row-scope.js';
import { SharedFlights } from './single-flight.js';
import { invalidParameters } from './validate-parameters.js';

/** A question that the cache could not answer. */
export interface Fetch extends Question {
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Whether the answer has to be newer than the question, whatever others have or ask. */
  readonly refresh: boolean;
  readonly asker?: Asker | undefined;
}

export interface Fetched {
  readonly answer: Answer;
  /** Whether the query was somebody else's. */
  readonly collapsed: boolean;
}

/** @throws Failure */
export type FetchAnswer = (fetch: Fetch, key: CacheKey) => Promise<Fetched>;

/** Asks ClickHouse; the answer is stored when it is told. */
export type AskClickHouse = (signal: AbortSignal) => Promise<Answer>;

/**
 * Lets one of several gateways ask what all of them miss; the others get its answer, or its error.
 *
 * @param ask what the one that asks does.
 * @param until until when an answer is of use; milliseconds since 1970.
 */
export type ShareAcross = (
  key: CacheKey,
  signal: AbortSignal,
  ask: AskClickHouse,
  until: (answer: Answer) => number,
) => Promise<Fetched>;

export interface FetchParts {
  readonly runQuery: RunQuery;
  readonly store: AnswerStore;
  readonly shareAcross: ShareAcross;
  readonly clock: Clock;
  /** Told of each question that shared a query of another, and whose. */
  readonly onJoined: (where: 'process' | 'gateways') => void;
}

/** Asks ClickHouse once for equal questions at the same time, in this process and across gateways. */
export function createFetcher(parts: FetchParts): FetchAnswer {
  const flights = new SharedFlights<Fetched>();
  return async (fetch, key) => {
    const { endpoint, refresh } = fetch;
    if (endpoint.settings.caching === 'disabled') {
      return { answer: await askClickHouse(parts, fetch), collapsed: false };
    }
    const until = (answer: Answer): number => keepUntil(answer, endpoint);
    const share = refresh ? shareWithNobody(parts.store) : parts.shareAcross;
    const flight = refresh ? `${key.hash} refresh` : key.hash;
    const { value, joined } = await flights.join(flight, fetch, ({ signal: flightSignal, asker }) => {
      const ask: AskClickHouse = (ownSignal) => askClickHouse(parts, { ...fetch, asker, signal: ownSignal });
      return share(key, flightSignal, ask, until);
    });
    if (joined) parts.onJoined('process');
    else if (value.collapsed) parts.onJoined('gateways');
    return joined ? { ...value, collapsed: true } : value;
  };
}

async function askClickHouse({ runQuery, clock }: FetchParts, fetch: Fetch): Promise<Answer> {
  const { endpoint, values, scope, sandbox, requestId, signal, asker } = fetch;
  const { representation = JSON_REPRESENTATION } = fetch;
  const cap = rowCap(endpoint);
  const now = clock();
  const held = heldParameters(scope);
  const query = sandbox
    ? bindSandboxedQuery(endpoint, sandbox, values, held, now, cap + 1)
    : bindQuery(endpoint.query, values, held, now, cap + 1);
  try {
    const { body, ...facts } = await runQuery({
      query,
      columns: sandbox ? 'unknown' : endpoint.columns,
      representation,
      rowCap: cap,
      requestId,
      signal,
      asker,
      limits: endpoint.settings.queryLimits,
    });
    const { caching } = endpoint.settings;
    const lastsSeconds = caching === 'disabled' || facts.partial ? undefined : caching;
    const bodies = lastsSeconds === undefined ? { identity: body } : await bodiesToKeep(body, representation);
    const bornAt = now.getTime();
    const expiresAt = lastsSeconds === undefined ? bornAt : bornAt + lastsSeconds * 1000;
    return { ...facts, bornAt, expiresAt, digest: digestOf(body), bodies };
  } catch (error) {
    throw blameParameters(endpoint, error);
  }
}

function bodiesToKeep(body: Buffer, { format }: Representation): Promise<Bodies> | Bodies {
  return FORMAT_FACTS[format].isCompressible ? encodeBodies(body) : { identity: inOwnMemory(body) };
}

/** Only ClickHouse knows whether a regular expression compiles; its refusal is the caller's problem, by name. */
function blameParameters(endpoint: Endpoint, error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'BAD_REGULAR_EXPRESSION') return error;
  const expressions = [...endpoint.parameters].filter(([, { format }]) => format === 're2');
  const problem = 'is not a regular expression that RE2 compiles';
  return invalidParameters(
    endpoint.name,
    expressions.map(([param]) => ({ param, problem })),
  );
}

/** One gateway alone: it asks, and stores what it is told. */
export function shareWithNobody(store: AnswerStore): ShareAcross {
  return async (key, signal, ask, until) => {
    const answer = await ask(signal);
    if (!answer.partial) await store.set(key, answer, until(answer));
    return { answer, collapsed: false };
  };
}
