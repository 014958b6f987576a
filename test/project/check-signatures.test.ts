import { expect, test } from 'vitest';
import { assessSignatures } from '../../scripts/check-signatures.ts';

test('a release goes on when every signature is right', () => {
  expect(assessSignatures('{"invalid":[],"missing":[]}').isGood).toBe(true);
});

test('a wrong or a missing signature ends it, and is named', () => {
  const bad = { name: 'left-pad', version: '1.3.0', code: 'EINTEGRITYSIGNATURE' };
  const { sentence, isGood } = assessSignatures(JSON.stringify({ invalid: [bad], missing: [] }));
  expect(isGood).toBe(false);
  expect(sentence).toBe('1 signatures are wrong and 0 are missing: left-pad@1.3.0');
  expect(assessSignatures(JSON.stringify({ invalid: [], missing: [bad] })).isGood).toBe(false);
});

test.each([
  { code: 'ENOTFOUND', summary: 'getaddrinfo ENOTFOUND tuf-repo-cdn.sigstore.dev' },
  { code: null, summary: 'found no dependencies to audit that were installed from a supported registry' },
])('a registry that does not answer is told in one sentence: $summary', (error) => {
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
])('whatever else hinders the check ends the release: $code', (error) => {
  expect(assessSignatures(JSON.stringify({ error })).isGood).toBe(false);
});

test('silence is no proof', () => {
  expect(assessSignatures('').isGood).toBe(false);
});
