import type { Command } from 'commander';

/** What `--port` sets. */
export interface PortOption {
  readonly port?: string;
}

/** Adds the option that names the port of the gateway. */
export function withPortOption(command: Command): Command {
  return command.option(
    '--port <number>',
    'port of the gateway, 0 for a free one (default: PORT, else 8080)',
  );
}

/** The environment with the port of the option, which is checked as the variable is. */
export function withPort(environment: NodeJS.ProcessEnv, { port }: PortOption): NodeJS.ProcessEnv {
  return port === undefined ? environment : { ...environment, PORT: port };
}
