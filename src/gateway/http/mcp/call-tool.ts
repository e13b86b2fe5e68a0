import type { Seal } from '../../../endpoint/parameters/secret-value.js';
import type { Times } from '../../formats/format.js';
import { readerOf } from '../../query/call.js';
import type { Clock } from '../../query/ports.js';
import type { JsonBodies } from '../call/json-body.js';
import { asFailure, retryHeaders } from '../transport/problem.js';
import { readCall } from '../call/read-call.js';
import { runCall, type RunDependencies } from '../call/run-call.js';
import type { McpCaller } from './mcp-caller.js';
import { readArguments } from './tool-arguments.js';
import { toolError } from './tool-error.js';
import { toolResult, type ToolResult } from './tool-result.js';
import type { Tools } from './tools.js';

/** The dependencies and options of calling a tool. */
export interface CallToolDependencies extends RunDependencies {
  readonly tools: Tools;
  readonly bodies: JsonBodies;
  readonly clock: Clock;
  readonly seal?: Seal | undefined;
  /** How the gateway writes times. */
  readonly times: Times;
  /** Bytes of the rows of a tool's result. */
  readonly maxToolBytes: number;
}

/**
 * `tools/call`: calls an endpoint. Its failures are results too, which the model reads and can act on.
 *
 * @throws ProtocolError where there is no such tool.
 */
export async function callTool(
  dependencies: CallToolDependencies,
  caller: McpCaller,
  name: string,
): Promise<ToolResult> {
  const endpoint = dependencies.tools.get(caller.principal, name);
  const { context, principal, signal } = caller;
  try {
    if (caller.rejected) throw caller.rejected;
    await dependencies.bodies.beforeValidating(caller.arguments);
    const now = dependencies.clock();
    const { sent, maxRows } = readArguments(endpoint, caller.arguments, principal.pinned);
    const { times, seal } = dependencies;
    const preferences = { accept: undefined, timestamps: undefined, isStrict: true };
    const read = readCall({ endpoint, principal, sent, preferences, times, now, seal });
    const call = { context, principal, endpoint, read, demand: 'any' as const, signal };
    const { query, outcome, limits } = await runCall(dependencies, call);
    caller.setLimits(limits);
    return toolResult({
      ...{ endpoint, outcome, maxRows },
      isSandboxed: query.sandbox !== undefined,
      reader: readerOf(query),
      pinned: principal.pinned,
      maxBytes: dependencies.maxToolBytes,
      now: dependencies.clock().getTime(),
    });
  } catch (error) {
    return failed(error, caller);
  }
}

function failed(error: unknown, { context, principal, setHeaders }: McpCaller): ToolResult {
  context.failure = error;
  context.isFailureInBody = true;
  const failure = asFailure(error);
  setHeaders(retryHeaders(failure, principal));
  return toolError(failure, context.requestId);
}
