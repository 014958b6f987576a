import type { z } from 'zod';
import type { Actor } from '../audit/record-audit.ts';
import type { ApiKeyScope } from '../database/schema.ts';
import type { IdempotencyKey } from '../idempotency/once.ts';
import type { TokenIdentity } from '../users/token.ts';

/** Who sent a request, and for which workspace, as its token or API key says. Only operations with `access: 'bearer'` have one. */
export interface Caller extends Omit<Actor, 'address'> {
  /** The token it came with; undefined for a key. */
  token?: TokenIdentity;
  /** When the token or the key ends by itself; undefined: never. */
  expiresAtMs?: number;
  /** What the key reaches; a token reaches everything. */
  scopes?: readonly ApiKeyScope[];
}

/** What an open operation is given. */
export interface OpenContext<Body> {
  /** Validated by the operation's `body` schema; `null` of a field that is not required is gone. */
  body: Body;
  /** The client's address: behind a proxy the one that the proxy reports. */
  address: string;
  /** Also in the answer, as `x-request-id`. */
  requestId: string;
  /** A request header by its lower-case name; undefined when it was not sent. */
  header(name: string): string | undefined;
  /** Sets a header of the answer; to be documented in `answerHeaders`. */
  setHeader(name: string, value: string): void;
}

export interface BearerContext<Body> extends OpenContext<Body> {
  caller: Caller;
  /** The same for use cases. */
  actor: Actor;
  /** Of an `idempotent` operation whose request carries the header. */
  idempotencyKey: IdempotencyKey | undefined;
}

/**
 * What an API key must be allowed to reach an operation: `read` for what only reads, `send` for what changes or sends something.
 * `token`: no key reaches it.
 */
export type OperationScope = ApiKeyScope | 'token';

export type Tag = 'Users' | 'Campaigns' | 'Groups' | 'Account' | 'Analytics' | 'Sandbox';

/** What an operation adds to the failures that all of its kind have (`failuresOf` in `openapi.ts`). */
export type OwnFailure = 401 | 403 | 404 | 409 | 429 | 503;

interface Description<Body extends z.ZodType, Data extends z.ZodType> {
  /** The whole path: `/api/v1/user/create_user`. The method is always POST. */
  path: string;
  tag: Tag;
  /** One line for the list of operations. */
  summary: string;
  /** Markdown, where a line is not enough. */
  description?: string;
  body: Body;
  /** What `data` of the envelope holds. */
  data: Data;
  errors: readonly OwnFailure[];
  /** Names and meanings of request headers that it reads. */
  requestHeaders?: Readonly<Record<string, string>>;
  /** Names and meanings of headers that its answer may carry. */
  answerHeaders?: Readonly<Record<string, string>>;
  /**
   * Set where the answer is no envelope: `data` is then a string that is sent as it is, with this media type, or for any type
   * bytes whose `content-type` the operation sets.
   */
  answerType?: 'text/csv; charset=utf-8' | '*/*';
}

export interface OpenOperation<Body extends z.ZodType, Data extends z.ZodType> extends Description<Body, Data> {
  access: 'open';
  handle(context: OpenContext<z.output<Body>>): Promise<z.input<Data>>;
}

export interface BearerOperation<Body extends z.ZodType, Data extends z.ZodType> extends Description<Body, Data> {
  access: 'bearer';
  scope: OperationScope;
  /** The longest body taken, in bytes; 256 KiB unless given. A longer one than that waits for its place before it is read. */
  bodyLimitBytes?: number;
  /** Takes much of the server, and is turned away first when that is overloaded. */
  isHeavy?: boolean;
  /** Takes an `Idempotency-Key` and hands it to the use case, which sees to it that a repeat does nothing twice. */
  idempotent?: boolean;
  handle(context: BearerContext<z.output<Body>>): Promise<z.input<Data>>;
}

/** Any operation: a row of the table that the server is made of. */
export type Operation = OpenOperation<z.ZodType, z.ZodType> | BearerOperation<z.ZodType, z.ZodType>;

/**
 * Ties an operation's schemas to its handler: what `handle` is given and what it has to answer follow from `body` and `data`.
 * An open operation has no `caller`. `handle` throws an AppError for whatever is not a defect.
 */
export function defineOperation<Body extends z.ZodType, Data extends z.ZodType>(
  operation: OpenOperation<Body, Data>,
): Operation;
export function defineOperation<Body extends z.ZodType, Data extends z.ZodType>(
  operation: BearerOperation<Body, Data>,
): Operation;
export function defineOperation(operation: Operation): Operation {
  return operation;
}
