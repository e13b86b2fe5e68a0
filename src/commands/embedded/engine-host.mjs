/**
 * The process of the embedded ClickHouse server: runs the engine of libchdb as an HTTP server. Plain JavaScript,
 * because tests spawn it from its source and the gateway from dist/.
 *
 * Arguments: path of libchdb, path of the configuration file. The process ends when its standard input ends, so that
 * it never outlives its parent.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import process from 'node:process';
import { DataType, isNullPointer, load, open } from 'ffi-rs';

const [libraryFile = '', configFile = ''] = process.argv.slice(2);
const LIBRARY = 'chdb';

process.title = 'querygate-clickhouse';
// process.exit() would wait for the engine's thread, which never ends; acknowledged writes are safe.
const die = () => process.kill(process.pid, 'SIGKILL');
process.stdin.once('end', die).once('error', die).resume();

await admitOwnSessionOnly();
open({ library: LIBRARY, path: libraryFile });
const result = await runEngine();
process.stderr.write(`${errorOf(result)}\n`, die);

/**
 * The engine's own session always runs as the user `default` without a password. ClickHouse authenticates that user by a request to
 * this HTTP server. Only the first request is accepted, which the engine sends before it listens. The server stays open, so
 * that no other process can take its port and accept others.
 */
async function admitOwnSessionOnly() {
  let admitted = false;
  const server = createServer((_request, response) => {
    response.writeHead(admitted ? 403 : 200, { 'content-type': 'application/json', connection: 'close' });
    response.end('{}');
    admitted = true;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.env['QUERYGATE_OWN_SESSION_URL'] = `http://127.0.0.1:${port}/`;
}

/** Resolves only when the engine has failed. It runs in another thread, so that this one notices the parent's end. */
async function runEngine() {
  const forever =
    'SELECT 1 FROM system.numbers WHERE sleepEachRow(1) = 1 FORMAT Null SETTINGS max_block_size = 1, ' +
    'max_execution_time = 0, max_rows_to_read = 0, log_queries = 0';
  const args = [
    'clickhouse-local',
    `--config-file=${configFile}`,
    `--query=SYSTEM START LISTEN HTTP; ${forever}`,
  ];
  const result = await load({
    library: LIBRARY,
    funcName: 'chdb_query_cmdline',
    retType: DataType.External,
    paramsType: [DataType.I32, DataType.StringArray],
    paramsValue: [args.length, args],
    runInNewThread: true,
  });
  return /** @type {import('ffi-rs').JsExternal} */ (result);
}

/** @param {import('ffi-rs').JsExternal} result the result of `chdb_query_cmdline` */
function errorOf(result) {
  /** @param {DataType} retType */
  const call = (retType) =>
    load({
      library: LIBRARY,
      funcName: 'chdb_result_error',
      retType,
      paramsType: [DataType.External],
      paramsValue: [result],
    });
  const error = /** @type {import('ffi-rs').JsExternal} */ (call(DataType.External));
  return isNullPointer(error) ? 'the engine ended' : /** @type {string} */ (call(DataType.String));
}
