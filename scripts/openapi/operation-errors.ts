import type { ErrorCode } from '../../src/platform/errors/error-codes.ts';
import { idempotencyOf, type Access, type OperationContract } from '../../src/api/contract/define-operations.ts';

/** Errors that a request to any operation can get. */
const OF_EVERY_REQUEST: readonly ErrorCode[] = [
  'invalid_request',
  'request_unreadable',
  'host_unknown',
  'internal_error',
  'database_unavailable',
  'database_slow',
  'disk_full',
  'overloaded',
];
const OF_BODIES: readonly ErrorCode[] = [
  'unknown_field',
  'body_not_json',
  'body_too_slow',
  'body_too_large',
  'content_type_unsupported',
];
const OF_CREDENTIALS: readonly ErrorCode[] = [
  'token_missing',
  'token_invalid',
  'token_revoked',
  'api_key_invalid',
  // A credential can outlive its user by a moment.
  'user_gone',
  'rate_limited',
];

/** Of operations in a workspace. */
const OF_WORKSPACES: readonly ErrorCode[] = ['role_missing', 'workspace_not_found'];

/** The part of a declaration that its errors follow from. */
export type Failing = Pick<OperationContract, 'access' | 'role' | 'errors' | 'idempotency' | 'requiresRecentAuth'> & {
  /** False for a GET. */
  hasBody?: boolean;
};

/** Returns every error code that an operation can answer. */
export function listErrorCodes(operation: Failing): ErrorCode[] {
  return [...listCommonErrorCodes(operation), ...listOwnErrorCodes(operation)];
}

/** Returns the codes that are no operation's own: they follow from the request and from its credentials. */
export function listCommonErrorCodes({
  access,
  role,
  requiresRecentAuth = false,
  hasBody = true,
}: Failing): ErrorCode[] {
  return [
    ...OF_EVERY_REQUEST,
    ...(hasBody ? OF_BODIES : []),
    ...(access === 'open' ? [] : [...OF_CREDENTIALS, scopeError(access)]),
    ...(role === 'none' ? [] : OF_WORKSPACES),
    ...(requiresRecentAuth ? (['proof_required'] as const) : []),
  ];
}

/** Returns the codes that the operation declares, and those of its idempotency key. */
export function listOwnErrorCodes(operation: Failing): ErrorCode[] {
  const ofKey = idempotencyOf(operation) === 'keyed' ? (['idempotency_key_reused'] as const) : [];
  return [...(operation.errors ?? []), ...ofKey];
}

function scopeError(access: Exclude<Access, 'open'>): ErrorCode {
  return access === 'token' ? 'token_required' : 'scope_missing';
}
