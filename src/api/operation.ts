import type { z } from 'zod';
import type { Actor } from '../workspaces/audit/record-audit.ts';
import type { ApiKeyScope } from '../platform/database/schema.ts';
import type { IdempotencyKey } from '../workspaces/idempotency/once.ts';
import type { FieldError } from '../platform/errors/errors.ts';
import type { TokenIdentity } from '../identity/sessions/token.ts';

/** Who sent a request, and for which workspace, as its token or API key says. Only operations with `access: 'bearer'` have one. */
export interface Caller extends Omit<Actor, 'address'> {
  /** The token it came with; undefined for a key. */
  token?: TokenIdentity;
  /** Whether the token's bearer has proven who they are within the last 10 minutes; undefined for a key. */
  isRecentlyAuthenticated?: boolean;
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
  /** What the request carries that means nothing here, a sentence each; the answer tells them in a header. */
  warnings: readonly string[];
}

export interface BearerContext<Body> extends OpenContext<Body> {
  caller: Caller;
  /** The same for use cases. */
  actor: Actor;
  /** Of an `idempotent` operation whose request carries the header. */
  idempotencyKey: IdempotencyKey | undefined;
}

/**
 * What an API key must be allowed to reach an operation: `read` for what only reads, `send` for what changes or sends something,
 * `admin` for what links and unlinks the account, and for what concerns people: their data and what they did from where. `token`: no key reaches it.
 */
export type OperationScope = ApiKeyScope | 'token';

export type Tag =
  | 'Users'
  | 'Campaigns'
  | 'Groups'
  | 'Account'
  | 'Analytics'
  | 'Webhooks'
  | 'Notices'
  | 'Sandbox'
  | 'Administration';

/** What an operation adds to the failures that all of its kind have (`failuresOf` in `openapi.ts`). */
export type OwnFailure = 401 | 403 | 404 | 409 | 429 | 503 | 507;

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
   * an iterable of bytes, read as the client takes them, whose `content-type` the operation sets.
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
  /** Step-up authentication: takes a token only when its bearer has proven who they are within the last 10 minutes (contract §4). */
  requiresRecentAuth?: boolean;
  /** The longest body taken, in bytes; 256 KiB unless given. A longer one than that waits for its place before it is read. */
  bodyLimitBytes?: number;
  /** Keeps what takes room on the disk, and is put off while that is nearly full. */
  requiresDiskSpace?: boolean;
  /** Is limited with others of its kind, since each takes the server's time: so many a minute and user. */
  isPreview?: boolean;
  /** Takes much of the server, and is turned away first when that is overloaded. */
  shedFirst?: boolean;
  /**
   * Set where answers may have megabytes, of which a user is sent a few at a time: `pieces` where it holds a `LongText`, or bytes, that
   * are read as the client takes them.
   */
  longAnswer?: 'pieces' | 'whole';
  /** Takes an `Idempotency-Key` and hands it to the use case, which sees to it that a repeat does nothing twice. */
  idempotent?: boolean;
  /**
   * What is wrong with the content of those fields that are right by themselves, of a body that is refused for its types already: so
   * that both are told in one round.
   */
  validateSemantics?(fields: Partial<z.output<Body>>, actor: Actor): Promise<readonly FieldError[]>;
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
