import type { Config } from '../config/config.js';
import type { Gateway } from '../server/compose.js';
import { consoleUrl, welcome } from '../server/welcome.js';

/** The text for a person at the terminal: what every gateway says, and how to work with a development server. */
export function developmentWelcome(gateway: Gateway, { project }: Pick<Config, 'project'>): string {
  const link =
    gateway.generatedKey === undefined
      ? `Open ${consoleUrl(gateway)} to run the endpoints in a browser.\n`
      : '';
  return (
    `${welcome(gateway)}${link}` +
    `Watching ${project.folder}: a saved file is served at once. Ctrl-C stops.\n\n`
  );
}
