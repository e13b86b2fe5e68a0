/** Names and ids of the endpoints that callers have saved. A deployment may add others. */
export const SHIPPED_ENDPOINTS = {
  'functions.invocation-stats': '8f0c7f5e-3a8d-4c55-9a0e-6f1f0b6a2d11',
  'get-grouped-stats-events-logs': '2b9e4d6f-7c1a-4f0b-8e5d-a1c3b5d7e922',
  'get-grouped-stats-redirects': '5d7c1b0a-94b1-4a1e-b3f6-0c9d3e8f7a33',
  'logs.all': 'e1d0c9b8-a7f6-4e5d-8c4b-3a2918f7e655',
  'usage.api-counts': 'c5a3f2b9-1f6e-4a57-8d94-2b7f8f0e3c44',
} as const;
