export { startSharedServers as default } from './shared-servers.mjs';
