/**
 * Argon2 as it is, but each password is hashed, and each guess verified, once in a process: that takes 20 ms of the processor, and tests
 * sign thousands of people in with one and the same password.
 */
import { createRequire } from 'node:module';
import type { hash as Hash, verify as Verify } from '@node-rs/argon2';

// Not by the alias that leads here.
const argon2 = createRequire(import.meta.url)('@node-rs/argon2') as { hash: typeof Hash; verify: typeof Verify };

const hashes = new Map<string, Promise<string>>();
const verdicts = new Map<string, Promise<boolean>>();

export const hash: typeof Hash = (password, options) =>
  hashes.getOrInsertComputed(JSON.stringify([password, options]), () => argon2.hash(password, options));

export const verify: typeof Verify = (hashed, password) =>
  verdicts.getOrInsertComputed(JSON.stringify([hashed, password]), () => argon2.verify(hashed, password));
