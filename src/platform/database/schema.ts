/**
 * The tables as Kysely sees them, with the types of the texts of which a constraint lists the values. `npm run schema` generates the rows
 * from the migrations; `schema.sql` says what each column means.
 */
export type {
  AccountStatus,
  CampaignStatus,
  GroupKind,
  RunStatus,
  Tables as Schema,
} from '../../../generated/tables.ts';
export type { AccountId, UserId, WorkspaceId } from './ids.ts';

/** In their order: each may do what the ones before it may. */
export type Role = 'analyst' | 'author' | 'manager' | 'owner';
/** Whose posts need an approval in a workspace. */
export type ApprovalRule = 'never' | 'authors' | 'all';
/** A role that an invitation can give. */
export type InvitedRole = Exclude<Role, 'owner'>;
/** The kind of a mail. */
export type MailKind =
  | 'verification'
  | 'reset'
  | 'invitation'
  | 'workspace_invitation'
  | 'new_sign_in'
  | 'password_changed'
  | 'factors_changed'
  | 'notice';
export type FactorKind = 'totp' | 'passkey';
export type ApiKeyScope = 'read' | 'write' | 'send' | 'webhooks' | 'admin';
export type PauseCause = 'rate_limited' | 'restricted' | 'refused' | 'used_elsewhere' | 'banned';
export type LinkMethod = 'qr' | 'pairing_code';
export type ApprovalEntryKind = 'asked' | 'approved' | 'changes_requested' | 'rejected' | 'withdrawn' | 'remark';
