import { isUuid } from '../../../src/endpoint/uuid.js';

describe('isUuid', () => {
  it.each(['8f0c7f5e-3a8d-4c55-9a0e-6f1f0b6a2d11', '8F0C7F5E-3A8D-4C55-9A0E-6F1F0B6A2D11'])(
    'accepts %s',
    (text) => {
      expect(isUuid(text)).toBe(true);
    },
  );

  it.each([
    'logs-all-staging',
    'usage.api-counts',
    '8f0c7f5e3a8d4c559a0e6f1f0b6a2d11',
    '{8f0c7f5e-3a8d-4c55-9a0e-6f1f0b6a2d11}',
    'urn:uuid:8f0c7f5e-3a8d-4c55-9a0e-6f1f0b6a2d11',
    '8f0c7f5e-3a8d-4c55-9a0e-6f1f0b6a2d1',
    '8f0c7f5e-3a8d-4c55-9a0e-6f1f0b6a2d11\n',
    '8g0c7f5e-3a8d-4c55-9a0e-6f1f0b6a2d11',
    '',
  ])('rejects %j', (text) => {
    expect(isUuid(text)).toBe(false);
  });
});
