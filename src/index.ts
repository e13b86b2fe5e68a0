/** The public API of the package: what endpoint files import, and a gateway for programs that embed it. */
export * from './endpoint/index.js';
export { createGateway, type GatewayOptions, type RunningGateway } from './gateway/server/create-gateway.js';
