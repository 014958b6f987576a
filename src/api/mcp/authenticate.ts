import { LRUCache } from 'lru-cache';
import { hashSecret } from '../../platform/secrets/hash-secret.ts';
import { CampanileError, createClient } from '../../../clients/typescript/client.ts';

/** Returns the API key of a request. Throws an McpAccessError for a request without a valid one, and where the service cannot say so. */
type Authenticate = (authorization: string | undefined) => Promise<string>;

/** The rejection of a request: an HTTP status, a code and a sentence. */
export class McpAccessError extends Error {
  readonly status: 401 | 403 | 503;
  readonly errorCode: string;

  constructor(status: 401 | 403 | 503, errorCode: string, message: string) {
    super(message);
    this.name = 'McpAccessError';
    this.status = status;
    this.errorCode = errorCode;
  }
}

const BEARER = /^bearer +(cmp_\S+) *$/i;
/** A valid key is cached for so long. Each tool calls the service with that key anyway. */
const VALID_FOR_MS = 60_000;
const KEYS_KNOWN = 10_000;
const TIMEOUT_MS = 15_000;

/** Asks the service at `url` whether a key is valid. Keeps the hashes of valid keys for a minute, and no key. */
export function createAuthenticate(url: string): Authenticate {
  const valid = new LRUCache<string, true, string>({
    max: KEYS_KNOWN,
    ttl: VALID_FOR_MS,
    fetchMethod: (_hash, _stale, { context: key }) => requireValid(url, key),
  });
  return async (authorization) => {
    const key = BEARER.exec(authorization ?? '')?.[1];
    if (key === undefined)
      throw new McpAccessError(401, 'token_missing', 'Send an API key: Authorization: Bearer cmp_…');
    await valid.fetch(hashSecret(key).toString('hex'), { context: key });
    return key;
  };
}

async function requireValid(url: string, token: string): Promise<true> {
  try {
    await createClient({ url, token, tries: 1, timeoutMs: TIMEOUT_MS }).call('user/get_profile');
  } catch (error) {
    if (!(error instanceof CampanileError)) throw error;
    if (error.status === 401)
      throw new McpAccessError(401, 'api_key_invalid', 'The API key is invalid, expired or revoked');
    if (error.status === 0 || error.status >= 500)
      throw new McpAccessError(503, 'unreachable', 'The service cannot be reached to check the API key: try again');
    // A valid key that lacks the scope `read`, or has asked too often.
  }
  return true;
}

/**
 * DNS rebinding: a page can point its own domain at this server, and its browser then sends requests here with the page's `Origin`.
 * Programs send none. Throws an McpAccessError for an origin that is not one of `allowed`.
 */
export function assertOrigin(origin: string | undefined, allowed: ReadonlySet<string>): void {
  if (origin === undefined || allowed.has(origin)) return;
  throw new McpAccessError(
    403,
    'origin_not_allowed',
    'The Origin of this request is not allowed here: an operator can allow it by --allow-origin',
  );
}
