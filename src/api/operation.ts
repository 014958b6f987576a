import type { z } from 'zod';
import type { Actor } from '../workspaces/audit/record-audit.ts';
import type { ApiKeyScope, WorkspaceId } from '../platform/database/schema.ts';
import type { IdempotencyKey } from '../workspaces/idempotency/once.ts';
import type { TokenIdentity } from '../identity/sessions/token.ts';
import type { OperationContract, RequiredRole, Scope } from './contract/define-operations.ts';
import type { Transfer } from '../platform/concurrency/transfers.ts';
import type { FieldError } from '../platform/errors/errors.ts';
import { fromWire, toWire, type FromWire, type ToWire } from './wire.ts';

/** The user and workspace of a request's token or API key. Open operations have no caller. */
export interface Caller extends Omit<Actor, 'address'> {
  /** Undefined for an API key. */
  token?: TokenIdentity;
  /** Whether the token's bearer has authenticated within the last 10 minutes; undefined for an API key. */
  isRecentlyAuthenticated?: boolean;
  /** When the token or the key expires; undefined: never. */
  expiresAtMs?: number;
  /** The scopes of an API key; undefined for a token, which may do everything. */
  scopes?: readonly ApiKeyScope[];
  /** The workspace of a test key's owner, while `workspaceId` is its test workspace. Null or undefined: no test key. */
  testOf?: WorkspaceId | null;
}

/** The arguments of an open operation's handler. */
export interface OpenContext<Body> {
  /** Validated by the operation's `body` schema, with our names; optional fields with `null` are absent. */
  body: Body;
  /** The client's address: behind a trusted proxy the one that the proxy reports. */
  address: string;
  /** Returns a request header by its lower-case name; undefined if it was not sent. */
  header(name: string): string | undefined;
  /** Sets a header of the answer. Declare it in `answerHeaders`. */
  setHeader(name: string, value: string): void;
  /** Of an operation that fetches a file: its permit. */
  transfer: Transfer | null;
  /** A sentence for each part of the request that is ignored; also sent in the warnings header. */
  warnings: readonly string[];
  /** Adds sentences to the warnings header. */
  warn(sentences: readonly string[] | undefined): void;
}

export interface BearerContext<Body> extends OpenContext<Body> {
  caller: Caller;
  /** The caller, as use cases take it. */
  actor: Actor;
  /** Of a `keyed` operation whose request has the header. */
  idempotencyKey: IdempotencyKey | undefined;
}

type BodyOf<Operation extends OperationContract> = FromWire<z.output<Operation['body']>>;
/** An operation that only confirms may answer anything: an empty object is sent. */
type AnswerOf<Operation extends OperationContract> =
  z.input<Operation['data']> extends Record<string, never> ? unknown : ToWire<z.input<Operation['data']>>;
type ContextOf<Operation extends OperationContract> = Operation['access'] extends 'open'
  ? OpenContext<BodyOf<Operation>>
  : BearerContext<BodyOf<Operation>>;

/** Throws an AppError for everything that is not a defect. */
export type Handle<Operation extends OperationContract, Deps> = (
  deps: Deps,
  context: ContextOf<Operation>,
) => Promise<AnswerOf<Operation>>;

/** A handler that also checks content, of those fields of a rejected body that are valid: all problems are then reported in one answer. */
export interface CheckingHandler<Operation extends OperationContract, Deps> {
  handle: Handle<Operation, Deps>;
  validateSemantics(deps: Deps, fields: Partial<BodyOf<Operation>>, actor: Actor): Promise<readonly FieldError[]>;
}

type Resource = Readonly<Record<string, OperationContract>>;

/** A handler for each operation of a resource: a missing or an undeclared one is a type error. */
export type Handlers<Operations extends Resource, Deps> = {
  readonly [Name in keyof Operations]: Handle<Operations[Name], Deps> | CheckingHandler<Operations[Name], Deps>;
};

export interface OpenOperation extends OperationContract {
  access: 'open';
  handle(context: OpenContext<unknown>): Promise<unknown>;
}
export interface BearerOperation extends OperationContract {
  access: Scope;
  role: RequiredRole;
  handle(context: BearerContext<unknown>): Promise<unknown>;
  validateSemantics?(fields: object, actor: Actor): Promise<readonly FieldError[]>;
}
/** An operation with its handler, ready to be served. */
export type Operation = OpenOperation | BearerOperation;

/** Returns the operations of a resource with their handlers. */
export function implement<Operations extends Resource, Deps>(
  operations: Operations,
  handlers: Handlers<Operations, Deps>,
  deps: Deps,
): Operation[] {
  return Object.entries(operations).map(([name, operation]) => {
    // The types of each pair were checked where the handlers are written.
    const handler = handlers[name] as Handle<OperationContract, Deps> | CheckingHandler<OperationContract, Deps>;
    const { handle, validateSemantics } =
      typeof handler === 'function' ? { handle: handler, validateSemantics: undefined } : handler;
    return {
      ...operation,
      handle: async (context: BearerContext<unknown>) =>
        toWire(operation.data, await handle(deps, { ...context, body: fromWire(operation.body, context.body) })),
      ...(validateSemantics && {
        validateSemantics: (fields: object, actor: Actor) =>
          validateSemantics(deps, fromWire(operation.body, fields) as object, actor),
      }),
    } as Operation;
  });
}
