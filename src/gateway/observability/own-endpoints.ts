import { CALLERS_ENDPOINT } from './callers-endpoint.js';
import { REQUESTS_ENDPOINT } from './requests-endpoint.js';
import { USAGE_ENDPOINT } from './usage-endpoint.js';

/** The gateway's own endpoints, which every project has. They read the request log. */
export const OWN_ENDPOINTS = [CALLERS_ENDPOINT, REQUESTS_ENDPOINT, USAGE_ENDPOINT] as const;

/** Whether a name is that of an endpoint of the gateway itself. */
export const isOwnEndpoint = (name: string): boolean => OWN_ENDPOINTS.some((own) => own.name === name);
