import { randomBytes } from 'node:crypto';

/** The prefixes by which people and secret scanners recognise a key. No JWT begins like this, and no key contains a dot. */
const LIVE = 'cmp_';
const TEST = 'cmp_test_';
/** 288 bits, 24 of them visible in the prefix: the hidden rest exceeds the 256 bits of SHA-256. */
const RANDOM_BYTES = 36;
const SHOWN = 4;
const SHAPE = /^cmp_(test_)?[A-Za-z0-9_-]{48}$/;

/** Returns a new key, and the prefix of it that may be shown later. */
export function generateApiKey(isTest: boolean): { key: string; prefix: string } {
  const prefix = isTest ? TEST : LIVE;
  const key = prefix + randomBytes(RANDOM_BYTES).toString('base64url');
  return { key, prefix: key.slice(0, prefix.length + SHOWN) };
}

/** Whether this is meant as an API key and not as a token. */
export function isApiKey(credential: string): boolean {
  return SHAPE.test(credential);
}
