/** Declares the operations of a resource. Server, OpenAPI document and clients derive everything else from these declarations. */
import { z } from 'zod';
import type { ApiKeyScope, Role } from '../../platform/database/schema.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';

/**
 * Who may call an operation. `open`: anyone. `token`: a token and no API key. All others: a token, or an API key with that scope.
 * `read` is for operations that only read, `write` for drafts, files and lists, `send` for those that change or send something,
 * `webhooks` for what integrations register, and `admin` for those that link the account or concern people.
 */
export type Access = 'open' | Scope;
export type Scope = ApiKeyScope | 'token';

/**
 * The least role of the caller in the workspace that the request means. `none`: the operation is about the person or the installation,
 * and disregards the header `x-workspace`.
 */
export type RequiredRole = Role | 'none';

/** The scopes of API keys that an operation accepts. `send` includes `write`, and `admin` includes `webhooks`; no other scope another. */
const ACCEPTED_SCOPES: Readonly<Record<ApiKeyScope, readonly ApiKeyScope[]>> = {
  read: ['read'],
  write: ['write', 'send'],
  send: ['send'],
  webhooks: ['webhooks', 'admin'],
  admin: ['admin'],
};

/** Returns the scopes that an operation accepts: any of them is enough. None if it takes no API key. */
export function acceptedScopes(access: Access): readonly ApiKeyScope[] {
  return access === 'open' || access === 'token' ? [] : ACCEPTED_SCOPES[access];
}

/** Whether a client may repeat a request: `always`, with an `Idempotency-Key` only (`keyed`), or `never`. */
export type Idempotency = 'always' | 'keyed' | 'never';

export type Tag =
  | 'Users'
  | 'Workspaces'
  | 'Campaigns'
  | 'Media'
  | 'Groups'
  | 'Account'
  | 'Analytics'
  | 'Webhooks'
  | 'Notices'
  | 'Sandbox'
  | 'Administration';

/** A declared operation. */
export interface OperationContract {
  tag: Tag;
  /** The method is always POST. */
  path: `/api/v1/${string}`;
  /** Its name in the document and in generated clients. Default: the last part of the path. Needed if that is a reserved word. */
  operationId?: string;
  access: Access;
  /** Default: that of `LEAST_ROLES`. Required if `access` is `token`. */
  role: RequiredRole;
  /** Title of the operation in references: imperative, without a full stop. */
  summary: string;
  /** Markdown. */
  description?: string;
  /** Default: no parameters. */
  body: z.ZodType;
  /** The `data` of the envelope. Default: none, since the operation only confirms. */
  data: z.ZodType;
  /** The errors of its own; those that follow from the access and from the request are in `scripts/openapi/operation-errors.ts`. */
  errors?: readonly ErrorCode[];
  /** Default: `always` for the scope `read`, else `never`. */
  idempotency?: Idempotency;
  /** Step-up authentication: the token's bearer must have authenticated within the last 10 minutes (contract §4). */
  requiresRecentAuth?: boolean;
  /** Concerns the person and not the workspace, so that test keys are rejected. An operation for tokens only needs no such flag. */
  isPersonal?: boolean;
  /** Default: 256 KiB. A larger body waits for memory once it has begun to arrive. */
  bodyLimitBytes?: number;
  /** The body is a file of any type, and is read as a stream: `body` is an `IncomingBody`. */
  takesFile?: boolean;
  /** Fetches a file from elsewhere: few run at once. */
  fetchesFile?: boolean;
  /** Stores files: answers 507 or 503 while the disk is nearly full. */
  requiresDiskSpace?: boolean;
  /** Counts towards the rate limit of previews and checks. */
  isPreview?: boolean;
  /**
   * Answers may have megabytes. `pieces`: they hold a `LongText` or bytes, which are read as the client takes them. `rows`: they are read
   * as a whole, in the user's share of the process, and a `LongList` or CSV of them is written as the client takes it. `whole`: all at once.
   */
  longAnswer?: 'pieces' | 'rows' | 'whole';
  /** Request headers that it reads, with their descriptions. */
  requestHeaders?: Readonly<Record<string, string>>;
  /** Response headers that it may set, with their descriptions. */
  answerHeaders?: Readonly<Record<string, string>>;
  /** Answers without the envelope: a `LongText` of this type, or for any type an iterable of bytes with a `content-type` of its own. */
  answerType?: 'text/csv; charset=utf-8' | '*/*';
}

/** What a declaration may leave to its resource, or to the defaults. */
type Declaration = Omit<OperationContract, 'tag' | Given> & Partial<Pick<OperationContract, Given>>;
type Given = 'access' | 'role' | 'body' | 'data';

/** The roles that scopes need by default. */
const LEAST_ROLES = { read: 'analyst', write: 'author', send: 'manager', webhooks: 'owner', admin: 'owner' } as const;
const DEFAULTS = {
  role: 'none' as RequiredRole,
  body: z.object({}).meta({ id: 'Nothing', description: 'An empty object. The body may also be empty.' }),
  data: z.object({}).meta({ id: 'NoData', description: 'Empty: the operation only confirms.' }),
};

/** What all operations of a resource have in common: its tag, and who may call them if it is the same for all. */
type Shared = { tag: Tag } & Partial<Pick<OperationContract, 'access' | 'role'>>;
type SharedBy<Resource extends Tag | Shared> = Resource extends Tag ? { tag: Resource } : Resource;

/** Every operation declares who may call it, as far as its resource has not. A field that does not exist is a type error. */
type Checked<Common, Declared> = {
  [Name in keyof Declared]: (Common & Declared[Name] extends
    | { access: 'open' | ApiKeyScope }
    | { access: 'token'; role: RequiredRole }
    ? unknown
    : { access: Access; role: RequiredRole }) &
    Record<Exclude<keyof Declared[Name], Exclude<keyof OperationContract, keyof Common>>, never>;
};
type Complete<Declared> = Omit<typeof DEFAULTS, keyof Declared> & Declared;

/** Declares the operations of one resource, by name. */
export function defineOperations<
  const Resource extends Tag | Shared,
  const Declared extends Record<string, Declaration>,
>(resource: Resource, declared: Declared & Checked<SharedBy<Resource>, Declared>) {
  const shared: Partial<Shared> = typeof resource === 'string' ? { tag: resource } : (resource as Shared);
  const operations = Object.entries<Declaration>(declared).map(([name, one]) => {
    const { access } = { ...shared, ...one };
    const role = access === undefined || access === 'open' || access === 'token' ? 'none' : LEAST_ROLES[access];
    return [name, { ...DEFAULTS, role, ...shared, ...one }];
  });
  return Object.fromEntries(operations) as { [Name in keyof Declared]: Complete<SharedBy<Resource> & Declared[Name]> };
}

export function idempotencyOf({ access, idempotency }: Pick<OperationContract, 'access' | 'idempotency'>): Idempotency {
  return idempotency ?? (access === 'read' ? 'always' : 'never');
}
