import { isDeepStrictEqual } from 'node:util';
import { WORKSPACE_HEADER } from '../../src/api/server/routing.ts';

type Kind = 'responses' | 'headers' | 'parameters';
interface Reference {
  $ref: string;
}
export type SharedComponents = Record<Kind, Record<string, unknown>>;

/** The parts of an OpenAPI document that operations share by reference. */
export interface Shared {
  components: SharedComponents;
  /** Returns a reference to a part, which the first call defines. Returns another part of the same name as it is. */
  refer<Part extends object>(kind: Kind, name: string, part: Part): Part | Reference;
}

export function createShared(): Shared {
  const components: SharedComponents = { responses: {}, headers: {}, parameters: {} };
  return {
    components,
    refer(kind, name, part) {
      const known = (components[kind][name] ??= part);
      return isDeepStrictEqual(known, part) ? { $ref: `#/components/${kind}/${name}` } : part;
    },
  };
}

const text = (description: string) => ({ description, schema: { type: 'string' } });
const number = (description: string) => ({ description, schema: { type: 'integer' } });

/** Headers of answers, other than those that one operation declares, and than those of every answer, which `info` describes. */
export const HEADERS = {
  'www-authenticate': text('`Bearer`'),
  'retry-after': number('Number of seconds to wait before a retry.'),
  'x-ratelimit-limit': number(
    'The rate limit: requests per minute and user, for previews and checks their own limit, or with 429 the limit that was exceeded.',
  ),
  'x-ratelimit-remaining': number('Number of requests left.'),
  'x-ratelimit-reset': number(
    'Seconds until the full limit is available again, or with 429 until the next request is.',
  ),
  'ratelimit-policy': text('The limits by name, as in draft-ietf-httpapi-ratelimit-headers: `"previews";q=600;w=60`.'),
  ratelimit: text('What is left of each: `"previews";r=599;t=60`.'),
  'idempotency-replayed': text('`true`: a repeated answer. The request had no second effect.'),
} as const;

/** The request header of operations in a workspace. */
export const WORKSPACE = {
  name: WORKSPACE_HEADER,
  description:
    'The id of a workspace, as `list-workspaces` returns it. Without it your default workspace is meant; with an API key, the one of the key.',
} as const;

/** The request header of operations that a client may repeat with a key. */
export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  description:
    '1 to 255 characters that identify the request, such as a UUID. Within 24 hours, the same key with the same body returns the first answer again and has no second effect.',
} as const;
