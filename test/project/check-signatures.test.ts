import { expect, test } from 'vitest';
import { assessSignatures } from '../../scripts/check-signatures.ts';

test('accepts a release with valid signatures only', () => {
  expect(assessSignatures('{"invalid":[],"missing":[]}').isGood).toBe(true);
});

test('rejects a release with an invalid or missing signature, and names it', () => {
  const bad = { name: 'left-pad', version: '1.3.0', code: 'EINTEGRITYSIGNATURE' };
  const { sentence, isGood } = assessSignatures(JSON.stringify({ invalid: [bad], missing: [] }));
  expect(isGood).toBe(false);
  expect(sentence).toBe('1 signatures are wrong and 0 are missing: left-pad@1.3.0');
  expect(assessSignatures(JSON.stringify({ invalid: [], missing: [bad] })).isGood).toBe(false);
});

test.each([
  { code: 'ENOTFOUND', summary: 'getaddrinfo ENOTFOUND tuf-repo-cdn.sigstore.dev' },
  { code: null, summary: 'found no dependencies to audit that were installed from a supported registry' },
])('accepts a release with a one-line warning if the registry does not answer: $summary', (error) => {
  const { sentence, isGood } = assessSignatures(JSON.stringify({ error }));
  expect(isGood).toBe(true);
  expect(sentence).toContain(error.summary);
  expect(sentence.split('\n')).toHaveLength(1);
});

test.each([
  {
    code: 'EEXPIREDSIGNATUREKEY',
    summary: 'left-pad@1.3.0 has a registry signature with keyid X but the key has expired',
  },
  { code: 'EATTESTATIONVERIFY', summary: 'left-pad@1.3.0 failed to verify attestation' },
])('rejects a release on any other error of the check: $code', (error) => {
  expect(assessSignatures(JSON.stringify({ error })).isGood).toBe(false);
});

test('rejects a release if the check prints nothing', () => {
  expect(assessSignatures('').isGood).toBe(false);
});
