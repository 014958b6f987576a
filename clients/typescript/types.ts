/** The types of all operations and events. `npm run docs` writes this file from the contract of the service. */
/** All seven fields are required. */
export interface CreateUser {
  first_name: string;
  /** May be empty. */
  last_name: string;
  /** Letters, digits, spaces and `. _ @ + - '`. Unique among user names and e-mail addresses, without regard to case. Space around it is removed. */
  user_name: string;
  /** Unique, case-insensitively. Space around it is removed. */
  email: string;
  /** International number of 7 to 15 digits. Spaces, dots, dashes, slashes, parentheses, a leading `+` or `00`, an extension, `whatsapp:` and `@c.us` are accepted. */
  phone_number: string;
  /** The phone number of the WhatsApp account to link, in the same format. */
  whatsapp_number: string;
  password: NewPassword;
}
/** 8 to 128 characters of any kind. On a public installation, easily guessed passwords are rejected. */
export type NewPassword = string;
/** A user. All texts are returned as they were sent. */
export interface UserInfo {
  user_id: number;
  email: string;
  user_name: string;
  phone_number: string;
  first_name: string;
  last_name: string;
  /** The phone number of the messaging account. */
  wharsapp_number: string;
  /** `true` up to and including the first successful sign-in. */
  is_first_login: boolean;
}
export interface AuthorizeUser {
  /** The user name or the e-mail address. */
  user_name: string;
  password: string;
  /** Required for a user with a second factor: a code of the authenticator app, or a recovery code. */
  code?: string | null | undefined;
}
/** An empty object. The body may also be empty. */
export type Nothing = Record<string, never>;
export interface OwnProfile {
  user_info: UserInfo;
  /** The time zone of schedules: the user's own, or else the installation's. */
  time_zone: string;
  /** The language of mails and notices. Absent while it is unknown: then English. */
  language?: 'en' | 'pt-BR' | 'hi' | 'id' | 'de' | 'es' | undefined;
  /** Whether the user is an administrator. */
  is_admin: boolean;
  /** Whether the e-mail address is verified. Present only if the service sends mails. */
  email_verified?: boolean | undefined;
  quotas?: Quotas | undefined;
  /** `true` if the key is a test key. */
  test?: boolean | undefined;
}
/** Usage of the workspace, with its limits. */
export interface Quotas {
  /** Bytes of files stored for campaigns and drafts. */
  stored_bytes: { used: number; limit: number };
  /** Running and scheduled campaigns. */
  campaigns: { used: number; limit: number };
  /** Groups, communities and channels that the default account created in the last 24 hours. `null`: unlimited. */
  groups_created: { used: number; limit: number } | null;
}
/** Fields that are omitted or `null` keep their values. */
export interface UpdateProfile {
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  phone_number?: string | null | undefined;
  /** Can be changed until a phone has been linked for the first time. */
  whatsapp_number?: string | null | undefined;
  /** IANA time zone for schedules, quiet hours and reports. */
  time_zone?: string | null | undefined;
  /** The language of mails and notices. */
  language?: 'en' | 'pt-BR' | 'hi' | 'id' | 'de' | 'es' | null | undefined;
}
export interface Profile {
  user_info: UserInfo;
  /** The time zone of schedules: the user's own, or else the installation's. */
  time_zone: string;
  /** The language of mails and notices. Absent while it is unknown: then English. */
  language?: 'en' | 'pt-BR' | 'hi' | 'id' | 'de' | 'es' | undefined;
  /** Whether the user is an administrator. */
  is_admin: boolean;
  /** Whether the e-mail address is verified. Present only if the service sends mails. */
  email_verified?: boolean | undefined;
}
export interface DeleteAccount {
  /** Your current password. */
  password: string;
}
/** Empty: the operation only confirms. */
export type NoData = Record<string, never>;
export interface LinkCode {
  /** The code in the link, after the `#`. */
  code: string;
}
/** The fields of `create_user`, with the code of the invitation. */
export interface AcceptInvite {
  first_name: string;
  /** May be empty. */
  last_name: string;
  /** Letters, digits, spaces and `. _ @ + - '`. Unique among user names and e-mail addresses, without regard to case. Space around it is removed. */
  user_name: string;
  /** Default: the address that the invitation names. Required for an invitation to a workspace that names none; disregarded for one of an administrator. */
  email?: string | null | undefined;
  /** May be omitted. */
  phone_number?: string | null | undefined;
  /** May be omitted: a number is needed only to link WhatsApp in a workspace of your own. `user_info` has it empty until `update_profile` sets it. */
  whatsapp_number?: string | null | undefined;
  password: NewPassword;
  /** The code in the link, after the `#`. */
  code: string;
}
export interface ChangePassword {
  /** Your current password. */
  current_password: string;
  new_password: NewPassword;
  /** Keeps your API keys. By default they are revoked, too. */
  keep_api_keys?: boolean | null | undefined;
}
export interface RequestPasswordReset {
  /** The user name or the e-mail address. */
  user_name: string;
}
export interface ResetPassword {
  /** The code in the link, after the `#`. */
  code: string;
  new_password: NewPassword;
  /** Keeps your API keys. By default they are revoked, too. */
  keep_api_keys?: boolean | null | undefined;
}
export interface RevokeTokens {
  /** Keeps your API keys. By default they are revoked, too. */
  keep_api_keys?: boolean | null | undefined;
}
export interface CreateApiKey {
  /** A label for the key. */
  name: string;
  /** What the key may do. */
  scopes: Array<ApiKeyScope>;
  /** The highest role that the key acts with. Default: yours. */
  role?: Role | null | undefined;
  /** Whether it acts on a sandbox of its own and never on your live data. */
  test?: boolean | null | undefined;
  /** ISO 8601 with a zone, in the future. Omit it for a key that does not expire. */
  expires_at?: string | null | undefined;
}
/** `read`: operations that only read. `write`: drafts, files and lists. `send`: operations that change or send something, and those of `write`. `webhooks`: changes of webhooks. `admin`: operations that link or unlink the account or concern people, and those of `webhooks`. */
export type ApiKeyScope = 'read' | 'write' | 'send' | 'webhooks' | 'admin';
/** What a member of a workspace may do. `analyst`: read. `author`: also write drafts and upload files. `manager`: also send. `owner`: also the account link, members, API keys and all settings. */
export type Role = 'analyst' | 'author' | 'manager' | 'owner';
export interface CreateWorkspace {
  /** The name of the workspace. */
  name: string;
}
export interface RenameWorkspace {
  /** The name of the workspace. */
  name: string;
}
export interface UpdateWorkspace {
  /** After how many minutes the stand-ins of an account that cannot send take over. */
  failover_minutes?: number | 'ask' | null | undefined;
  /** Default: `true`. */
  fails_back?: boolean | null | undefined;
}
export interface InviteMember {
  role: GivenRole;
  /** Omit it for a link that you pass on. */
  email?: string | null | undefined;
}
/** A role that a member can be given. The owner changes by `hand-over-workspace` only. */
export type GivenRole = 'analyst' | 'author' | 'manager';
export interface GetInvitation {
  /** The code in the link, after the `#`. */
  code: string;
}
export interface AcceptInvitation {
  /** The code in the link, after the `#`. */
  code: string;
}
export interface SetMemberRole {
  /** The id of a member. */
  user_id: number;
  role: GivenRole;
}
export interface OneMember {
  /** The id of a member. */
  user_id: number;
}
/** The `next_cursor` of the previous page, with the same filters. Omit it to get the first page. */
export type Cursor = string | null;
export interface AuditEntry {
  at: string;
  action: string;
  /** What the action was done to, such as the id of a campaign or the name of a key. */
  subject: string;
  /** The current name of the campaign in `subject`. Absent once it is deleted. */
  campaign_name?: string | undefined;
  /** The same of a draft or template. */
  draft_name?: string | undefined;
  /** Who acted. */
  user_id: number;
  /** Absent once the user is deleted. */
  user_name?: string | undefined;
  /** The user name of the member whose id is in `subject`, of entries about members. */
  member_name?: string | undefined;
  /** The role that the member was given, or that the invitation gives. */
  given_role?: Role | undefined;
  /** The role that the member had before. */
  former_role?: Role | undefined;
  /** What the action changed. Of lists the items removed and added, at most 20 each, then `+` and the number of others. Of two long texts the words that differ, with three around them. A value of more than 200 characters ends in `…`. `null`: no value. */
  changes?: Array<{ field: string; before: string | null; after: string | null }> | undefined;
  /** The client address of the request. */
  address: string;
  /** The API key of the request. Absent if it came with a token. */
  api_key_id?: number | undefined;
}
/** Pass it as `cursor` to get the next page. `null` on the last page. */
export type NextCursor = string | null;
/** `excel`: CSV for Excel in the language of the user: with semicolons where that is the custom, local times, and rates as whole percentages. */
export type CsvFormat = 'csv' | 'excel';
/** Users with a second factor send `code`, all others `password`. */
export interface ConfirmIdentity {
  /** Your password, if you have no second factor. */
  password?: string | null | undefined;
  /** A code, if you have a second factor. */
  code?: string | null | undefined;
}
export interface EmailAddress {
  /** Unique, case-insensitively. Space around it is removed. */
  email: string;
}
export interface OneUser {
  user_id: number;
}
/** The workspaces that the user owns, with what has not been sent. Nothing of it leaves while the user is disabled; it leaves once the user is enabled. Paused campaigns do not count. */
export type UnsentPosts = Array<{
  workspace_id: number;
  name: string;
  /** Posts of runs that have begun. */
  queued: number;
  /** Runs that are due and can still begin. */
  due_runs: number;
  /** Runs that are due later. */
  planned_runs: number;
  /** Runs that are due for over 6 hours, and will be missed. */
  missed_runs: number;
}>;
export interface DeleteUser {
  user_id: number;
  /** Your current password. */
  password: string;
}
export interface HeldPart {
  campaigns: number;
  posts: number;
  since: string | null;
  late_runs: number;
  late_posts: number;
}
export interface ReleaseLedger {
  /** One choice per campaign. Campaigns without queued posts are ignored. */
  choices?: Array<{ campaign_id: string; choice: HoldChoice }> | null | undefined;
  /** The choice for all campaigns that are not in `choices`. */
  others?: HoldChoice | null | undefined;
  /** Your current password. */
  password: string;
}
/** `send`: sends the queued posts, without those of runs over 6 hours late; in groups under their original message ids, in channels unless they are already there. `unknown`: sends none of them; they fail as `outcome_unknown` until a receipt proves otherwise. */
export type HoldChoice = 'send' | 'unknown';
/** Fields that are omitted or `null` keep their values. */
export interface UpdateAccount {
  account_id?: AccountId | undefined;
  /** How the account is called in the workspace. */
  name?: string | null | undefined;
  /** As `external_id` of a new one; `""` takes it away. */
  external_id?: string | null | undefined;
  /** As `metadata` of a new one. Replaces all that is there. */
  metadata?: OwnTexts | null | undefined;
  /** No posts are sent in these hours; they are sent afterwards. `none` turns it off. */
  quiet_hours?: { from: string; to: string } | 'none' | null | undefined;
  /** Maximum number of deliveries per day, in your time zone. Further ones leave from the hour of their plan on the next day on. `none` turns it off. */
  daily_cap?: number | 'none' | null | undefined;
  /** How often per day, in your time zone, posts of the workspace may mention everybody in one group (`mention_all`). Default: 1. 0 allows none. */
  mention_all_cap?: number | null | undefined;
  /** check-campaign and list-runs warn of more posts of the workspace to one group in seven days of your time zone. Nothing is held back. Default: 7. `none` turns it off. */
  weekly_posts?: number | 'none' | null | undefined;
  /** `true` starts a warm-up for a number that is new to groups: 30 deliveries on the first day, and more on each day of two weeks. A warm-up in progress is not restarted. `false` ends it. */
  warm_up?: boolean | null | undefined;
}
/** One of your accounts. Default: the default account of the workspace. */
export type AccountId = number | null;
export type OwnTexts = Record<string, string>;
/** `null`: none. */
export type OwnId = string | null;
export type RestReason = 'new_link' | 'quiet_hours' | 'daily_cap' | 'warm_up';
export interface ConnectAccount {
  account_id?: AccountId | undefined;
  /** The messaging application to link to. Default: the account's. With a test key: always the sandbox. */
  messenger?: 'sandbox' | 'whatsapp' | null | undefined;
  /** How to link: scan a QR code with the phone, enter a code on it, or try the ended link once more (until `retry_until`). */
  method?: 'qr' | 'pairing_code' | 'retry' | null | undefined;
  /** Whether to start a warm-up, as in `venom/update-account`. One that is requested before the first link starts with it. Omitted: a warm-up in progress continues, and none starts. */
  warm_up?: boolean | null | undefined;
}
export interface LinkState {
  account_id: number;
  status: AccountStatus;
  /** Content of the QR code to be scanned with the phone. A new one follows before it expires. */
  qr?: string | undefined;
  /** Eight characters to be entered on the phone. */
  pairing_code?: string | undefined;
  passkey?: PasskeyStep | undefined;
  /** When the code expires, or the request. Read the status again before. */
  expires_at?: string | undefined;
}
export type AccountStatus = 'unlinked' | 'linking' | 'connected' | 'reconnecting' | 'paused' | 'logged_out';
/** WhatsApp asks for the passkey of the number: see `submit-passkey`. */
export interface PasskeyStep {
  /** For `navigator.credentials.get` on WhatsApp's page. `null` once its result was accepted. */
  request_options: Record<string, unknown> | null;
  /** Eight characters that the phone shows, too, if it asks you to compare them. */
  verification_code: string | null;
}
export interface SubmitPasskey {
  account_id?: AccountId | undefined;
  /** The `toJSON()` of the `PublicKeyCredential`. */
  assertion: Record<string, unknown>;
}
export interface AccountState {
  account_id: number;
  /** Whether requests without `account_id` are about it. */
  is_default: boolean;
  messenger: string;
  status: AccountStatus;
  whatsapp_number: string;
  external_id: OwnId;
  metadata: OwnTexts;
  /** Content of the QR code to be scanned with the phone. A new one follows before it expires. */
  qr?: string | undefined;
  /** Eight characters to be entered on the phone. */
  pairing_code?: string | undefined;
  passkey?: PasskeyStep | undefined;
  /** When the code expires, or the request. Read the status again before. */
  expires_at?: string | undefined;
  /** When a `paused` account continues by itself. Absent: it was stopped, and `connect-account` resumes it, or its owner is disabled. */
  paused_until?: string | undefined;
  /** Why the account is not connected, as one sentence. */
  reason?: string | undefined;
  reason_code?: string | undefined;
  /** A restriction that slows the account down and does not stop it, as one sentence. */
  warning?: string | undefined;
  warned_until?: string | undefined;
  waits_for?: AccountWait | undefined;
  /** The link has ended, and until then `connect-account` can try it once more. */
  retry_until?: string | undefined;
  /** The ledger is held since then: the service was restored or copied, and sends nothing for any user until an administrator resumes it. */
  held_since?: string | undefined;
  /** WhatsApp has not listed the channels since then. The known ones are kept. */
  channels_unread_since?: string | undefined;
  /** The number of a phone that was rejected because it is not the account's. To use it, set `whatsapp_number` by `update_profile` and call `connect-account` again. */
  scanned_number?: string | undefined;
  /** With `with_history`: whether a phone has been linked, so that the number can no longer be changed. */
  number_fixed?: boolean | undefined;
  /** With `with_history`: earlier states, newest first, at most 50 of the last 90 days. */
  history?:
    | Array<{ at: string; messenger: string; status: AccountStatus; reason: string | null; reason_code: string | null }>
    | undefined;
}
/** Why nothing is sent now. Absent: posts that are due leave. */
export interface AccountWait {
  reason: WaitReason;
  /** `null`: it has no beginning of interest. */
  since: string | null;
  /** When it ends by itself. `null`: that is not known, or a person has to act. */
  until: string | null;
}
/** `held`: the ledger is. `disabled`: the owner is. `quarantined`: `connect-account` resumes it. `not_linked` to `version_refused`: its link. `no_worker`: the operator has to start one. `offline`: WhatsApp cannot be reached. `new_link` to `warm_up`: a rule. `unexplained`: it is connected, and nothing was sent for 15 minutes. Values may be added. */
export type WaitReason =
  | 'held'
  | 'disabled'
  | 'quarantined'
  | 'not_linked'
  | 'linking'
  | 'logged_out'
  | 'banned'
  | 'locked'
  | 'restricted'
  | 'rate_limited'
  | 'refused'
  | 'used_elsewhere'
  | 'version_refused'
  | 'no_worker'
  | 'offline'
  | 'new_link'
  | 'quiet_hours'
  | 'daily_cap'
  | 'warm_up'
  | 'unexplained';
export interface ListedAccount {
  account_id: number;
  /** Whether requests without `account_id` are about it. */
  is_default: boolean;
  messenger: string;
  status: AccountStatus;
  whatsapp_number: string;
  external_id: OwnId;
  /** With `with_metadata`. */
  metadata?: OwnTexts | undefined;
  /** Content of the QR code to be scanned with the phone. A new one follows before it expires. */
  qr?: string | undefined;
  /** Eight characters to be entered on the phone. */
  pairing_code?: string | undefined;
  passkey?: PasskeyStep | undefined;
  /** When the code expires, or the request. Read the status again before. */
  expires_at?: string | undefined;
  /** When a `paused` account continues by itself. Absent: it was stopped, and `connect-account` resumes it, or its owner is disabled. */
  paused_until?: string | undefined;
  /** Why the account is not connected, as one sentence. */
  reason?: string | undefined;
  reason_code?: string | undefined;
  /** A restriction that slows the account down and does not stop it, as one sentence. */
  warning?: string | undefined;
  warned_until?: string | undefined;
  waits_for?: AccountWait | undefined;
  /** The link has ended, and until then `connect-account` can try it once more. */
  retry_until?: string | undefined;
  /** The ledger is held since then: the service was restored or copied, and sends nothing for any user until an administrator resumes it. */
  held_since?: string | undefined;
  /** WhatsApp has not listed the channels since then. The known ones are kept. */
  channels_unread_since?: string | undefined;
  /** The number of a phone that was rejected because it is not the account's. To use it, set `whatsapp_number` by `update_profile` and call `connect-account` again. */
  scanned_number?: string | undefined;
  /** `null`: it has none. */
  name: string | null;
  /** Since when it is not connected, or was stopped. `null`: it can send. */
  down_since: string | null;
  /** Groups in which it is a member, as of their last sync. */
  groups: number;
  /** Groups among them to which it may post. */
  groups_can_send: number;
  /** Deliveries that wait for it, in runs that have begun. */
  queued: number;
  /** Posts of today that left, may have left, or are being sent. */
  sent_today: number;
  daily_cap: number | null;
}
export interface AddAccount {
  name: string;
  external_id?: ExternalId | undefined;
  metadata?: Metadata | undefined;
  /** Default: the installation's. With a test key: always the sandbox. */
  messenger?: 'sandbox' | 'whatsapp' | null | undefined;
  /** The number of its phone, which no other account may have. Required on WhatsApp. Default on the sandbox: a fictitious one. */
  whatsapp_number?: string | null | undefined;
}
/** Your own id of it, unique in the workspace among those of its kind: a second one with it is a 409 that names the first. */
export type ExternalId = string | null;
/** Texts of your own by key, at most 50, with keys of at most 40 characters. Answers and events have them. */
export type Metadata = OwnTexts | null;
export interface SetDefaultAccount {
  account_id: number;
}
export interface RemoveAccount {
  account_id: number;
}
export interface CreateChannel {
  name: string;
  description?: string | null | undefined;
  /** A data URL of the picture, `data:image/png;base64,…` */
  image?: string | null | undefined;
  account_id?: AccountId | undefined;
}
export interface Nid {
  server: string;
  user: string;
  _serialized: string;
}
/** The id to be used in `group_metadata_ids` of a campaign. */
export type GroupId = number;
export interface CreateCommunity {
  community_name: string;
  description?: string | null | undefined;
  /** Creates a group in which all members can write. The next sync lists it. */
  general_chat?: boolean | null | undefined;
  /** Lets members add groups to the community. Otherwise only admins can. */
  members_may_add_groups?: boolean | null | undefined;
  account_id?: AccountId | undefined;
}
export interface CreateGroup {
  group_name: string;
  /** Phone numbers of the members to add. May be empty. */
  participants: Array<string>;
  /** Adds `not_added` and `invite_link`. */
  with_not_added?: boolean | null | undefined;
  account_id?: AccountId | undefined;
}
export type GroupKind = 'group' | 'community' | 'channel';
/** Groups that meet all or any of these conditions, each about one thing. */
export interface GroupRule {
  all?: Array<RuleCondition> | null | undefined;
  any?: Array<RuleCondition> | null | undefined;
}
export interface RuleCondition {
  field?: string | null | undefined;
  /** Of tags, one of them. `""`: no value. */
  is?: string | null | undefined;
  is_not?: string | null | undefined;
  kind?: GroupKind | null | undefined;
  members?: { over?: number | null | undefined; under?: number | null | undefined } | null | undefined;
  silent_days?: number | null | undefined;
  active_days?: number | null | undefined;
  /** Its field was removed: no group meets it. */
  field_removed?: boolean | null | undefined;
}
/** Values by the names of fields. Fields without a value are left out. */
export type FieldsOfGroup = Record<string, string>;
export interface GroupActivity {
  posts: number;
  /** Posts that failed and have not been sent since. */
  failed: number;
  last_posted_at: string | null;
  /** People who could have read the posts, counted once per post. */
  recipients: number;
  /** Number of reads. For a channel, its views. */
  read: number;
  /** `null` without recipients. */
  read_rate: number | null;
}
export interface GroupAccount {
  account_id: number;
  /** Whether this account may post there. */
  can_send: boolean;
  /** `null`: not known. */
  is_admin: boolean | null;
  /** When a sync of this account last found the group, to the hour. */
  seen_at: string;
  /** Whether a run that begins now is sent by this account. */
  is_sender: boolean;
}
export interface UpdateGroup {
  group_metadata_id: GroupId;
  /** As `external_id` of a new one; `""` takes it away. */
  external_id?: string | null | undefined;
  /** As `metadata` of a new one. Replaces all that is there. */
  metadata?: OwnTexts | null | undefined;
}
export interface SaveGroupList {
  name: string;
  group_metadata_ids?: GroupIds | null | undefined;
  rule?: GroupRule | null | undefined;
  /** The list to replace. Omit it to create a list. */
  group_list_id?: number | null | undefined;
  /** As `external_id` of a new one; `""` takes it away. */
  external_id?: string | null | undefined;
  /** As `metadata` of a new one. Replaces all that is there. */
  metadata?: OwnTexts | null | undefined;
}
/** The groups, 10,000 at most; a repeated id counts once. */
export type GroupIds = Array<number>;
export interface SetFields {
  fields?:
    | Array<{
        /** The field to change. Omitted: the one of this name, or a new one. */
        field_id?: number | null | undefined;
        /** 1 to 40 letters, digits, spaces, `_` and `-`. Case, accents and the amount of space tell no two fields apart. */
        name: string;
        /** Default: as it is, and `text` of a new one. Values that the new kind does not take are a 400. */
        kind?: 'text' | 'number' | 'date' | 'link' | 'language' | 'tags' | null | undefined;
      }>
    | null
    | undefined;
  /** Removes these fields and **all their values**. */
  remove?: Array<number> | null | undefined;
  /** Also removes fields that posts which are yet to begin, or lists by rule, need: such posts fail, and nobody is in such lists. Otherwise that is a 409. */
  remove_in_use?: boolean | null | undefined;
}
export interface SetGroupFields {
  groups: Array<{
    group_metadata_id: GroupId;
    /** Values by the names of fields, each at most 1,000 characters; `""` and `null` take a value away. */
    fields: Record<string, string | number | null>;
  }>;
}
export interface NamedGroup {
  group_metadata_id: GroupId;
  group_name: string;
  kind: GroupKind;
  nid: Nid;
  participants: number;
  /** Whether any of your accounts may post there. */
  can_send: boolean;
}
export interface ImportGroupFields {
  /** The file in base64: 4 MiB, 10,000 rows and 200 columns at most. */
  file: string;
  /** Changes nothing, and returns what would change. */
  dry_run?: boolean | null | undefined;
  /** Leaves out rows that cannot be imported. Otherwise one of them is a 400. */
  skip_refused?: boolean | null | undefined;
}
/** A stable code of the issue, such as `end_before_start`. Later versions may add codes. */
export type IssueCode = string;
/** The figures and names of the issue, such as `limit`. Absent without any. */
export type IssueParams = Record<string, string | number>;
export interface SetSenders {
  /** The groups, 1,000 at most; a repeated id counts once. */
  group_metadata_ids?: Array<number> | null | undefined;
  /** All groups of this saved list. */
  group_list_id?: number | null | undefined;
  /** The preferred account first, then its stand-ins; a repeated id counts once. Empty: removes the rule. */
  account_ids: Array<number>;
  /** Kept with the rule, and in the audit log. */
  reason?: string | null | undefined;
}
export interface HandOverDeliveries {
  /** The account for which the deliveries wait. */
  account_id: number;
  /** The account that gets all it can send. Omitted: as the rules of `set-senders` say. */
  to_account_id?: number | null | undefined;
  /** Also give posts to another account that may have left by one that is no longer linked (`unlinked`, `logged_out`, or removed). A group may get such a post twice. */
  accept_duplicates?: boolean | null | undefined;
}
export interface SenderRule {
  scope: 'group' | 'group_list' | 'workspace';
  /** `null` unless the scope is `group`. */
  group_metadata_id: number | null;
  group_name: string | null;
  /** `null` unless the scope is `group_list`. */
  group_list_id: number | null;
  group_list_name: string | null;
  /** The preferred account first, then its stand-ins. Accounts that were removed since are still listed. Empty in the history: the rule was removed. */
  account_ids: Array<number>;
  reason: string | null;
  /** A user name. `null`: the user was deleted. */
  set_by: string | null;
  set_at: string;
  /** `null`: the rule is in force. */
  replaced_at: string | null;
}
export interface AddCampaign {
  /** The name of the campaign. Recipients do not see it. */
  name: string;
  /** A description for your own use. */
  desc?: string | null | undefined;
  html?: Html | undefined;
  text?: TypedText | undefined;
  on_unknown_tags?: UnknownTags | undefined;
  translations?: Translations | undefined;
  with_fields?: WithFields | undefined;
  on_missing_value?: OnMissingValue | undefined;
  image?: Base64File | undefined;
  file_name?: FileName | undefined;
  media?: PostFiles | undefined;
  mention_all?: MentionAll | undefined;
  pin_for?: PinPostFor | undefined;
  reply_to?: ReplyTo | undefined;
  follow_up?: FollowUp | undefined;
  account_id?: SendingAccount | undefined;
  group_list_ids?: GroupListIds | undefined;
  from_template?: FromTemplate | undefined;
  poll?: Poll | undefined;
  event?: GroupEvent | undefined;
  link_preview?: LinkCard | undefined;
  fetch_link_preview?: FetchLinkCard | undefined;
  group_metadata_ids?: PostGroupIds | undefined;
  /** Stored and returned only: the ids determine whether posts go to channels. */
  is_channel_campaign?: boolean | null | undefined;
  external_id?: ExternalId | undefined;
  metadata?: Metadata | undefined;
  tags?: Tags | undefined;
  is_schedule?: false | null | undefined;
  /** Stored and returned only, in any form: the campaign is sent now. */
  schedule_time?: string | null | undefined;
  /** A 400 that names `add-campaign-batch`, unless it is empty. */
  recurrence?: string | null | undefined;
  /** The posts leave also in quiet hours, within the daily cap. Other posts of the account wait. */
  ignore_quiet_hours?: boolean | null | undefined;
  /** A test: list-runs, the overview and reports leave it out, and list-campaigns without `with_tests`. */
  is_test?: boolean | null | undefined;
}
/** The message in HTML; may be empty if there is a file. Tags: h1–h6, i, em, b, strong, p, br, a, ul, ol, li, span. Required unless `text` is there. */
export type Html = string;
/** The message in WhatsApp's own marks, as typed on a phone, instead of `html`: `*bold*`, `_italic_`, `~struck~`, `code`, lists and quotes. It is sent as it is. */
export type TypedText = string | null;
/** Tags that are not allowed are rejected (default), or taken out with a warning. */
export type UnknownTags = 'reject' | 'drop' | null;
/** Texts in place of `html`, by the language of the group: its first field of the kind `language`. Others get `html`. */
export type Translations = Array<{ language: string; html?: string | undefined; text?: TypedText | undefined }> | null;
/** Fills `{{ name }}` and `{{ name | "fallback" }}` for each group: its value of the field, or `group`, `members`, `date`, `weekday`, `time`. Default: braces stay. */
export type WithFields = boolean | null;
/** Groups without a value or fallback: the request is rejected (default), later the post fails; or they get none. */
export type OnMissingValue = 'reject' | 'leave_out' | null;
/** A file in base64, with or without a data URL prefix: JPEG, PNG, WebP, AVIF, GIF, MP4, MOV, 3GP, MP3, OGG, M4A, AAC, WAV, WebM, BMP, PDF, office or ZIP, at most 16 MiB decoded. Text, CSV and VCF need the prefix. */
export type Base64File = string | null;
/** The name of the file as recipients see it; its extension becomes that of the type. Default: `file`. */
export type FileName = string | null;
/** Files of your workspace, 10 at most, instead of `image`. Several pictures and films are an album in groups; other files follow. */
export type PostFiles = Array<{
  /** As `upload` or `list-media` returns it. */
  media_id: number;
  /** Marks as typed on a phone, or the tags of `html`. Default: the message for the first file. */
  caption?: string | null | undefined;
  /** As recipients see it. Default: its name in the library. */
  file_name?: string | null | undefined;
}> | null;
/** Mentions everybody in each group: the text shows `@all`, which stands before it unless it has one. Not in channels. Limited by `mention_all_cap` of `update-account`. */
export type MentionAll = boolean | null;
/** Pins each post in its group for so long after it was sent. Not in channels. */
export type PinPostFor = PinFor | null;
export type PinFor = '24h' | '7d' | '30d';
/** Quotes the post of an earlier campaign, in each group that got it. Other groups and channels get the post without a quote. */
export type ReplyTo = {
  campaign_id: string;
  /** Default: the latest run that has begun by then. */
  run_id?: number | null | undefined;
} | null;
/** Posts only to groups in which fewer than `under_percent` of the members have read the posts of an earlier campaign. That is checked in each run, right before its posts are queued. Groups whose reads are unknown, such as channels, are left out. */
export type FollowUp = {
  campaign_id: string;
  /** Default: all its runs. */
  run_id?: number | null | undefined;
  under_percent: number;
} | null;
/** The account that sends to all groups that it may post to. Default: the sender of each group, which without rules is the default account. */
export type SendingAccount = number | null;
/** Saved lists: each run also goes to the groups that they then have. */
export type GroupListIds = Array<number> | null;
/** The template that the post began with, for its `uses`. Not checked. */
export type FromTemplate = string | null;
/** A poll in place of text and file. Channels take none, since votes there cannot be counted. */
export type Poll = {
  question: string;
  options: Array<string>;
  /** Each member may choose several options. */
  multiple?: boolean | null | undefined;
  /** Votes are counted for so many hours from the start of the run. Default: 90 days. */
  open_hours?: number | null | undefined;
  /** Stores who voted, so that `export-poll` can name the voters. Default: nothing is stored of who they are. */
  names_voters?: boolean | null | undefined;
} | null;
/** An event in place of text and file, which members answer with going, maybe or not going. Not for channels. */
export type GroupEvent = {
  name: string;
  description?: string | null | undefined;
  place?: string | null | undefined;
  start_at: string;
  end_at?: string | null | undefined;
} | null;
/** The preview that members see with a link of the text. `link-preview` fetches one. */
export type LinkCard = {
  /** A link exactly as the text of the message has it. */
  url: string;
  /** Empty: the link goes without a preview. */
  title: string;
  description?: string | null | undefined;
  /** A picture in base64, at most 2 MiB decoded. It is shrunk to a JPEG of 800 pixels and 128 KiB at most. */
  image?: string | null | undefined;
} | null;
/** Fetches the preview of the first link, unless `link_preview` is sent: the operation takes up to 3 seconds longer. Without an answer the link goes without one, and `x-campanile-warnings` says so. */
export type FetchLinkCard = boolean | null;
/** Required without `group_list_ids`. */
export type PostGroupIds = Array<number> | null;
/** Words to find and report on campaigns by, 10 at most, without commas, semicolons and line breaks. Case and accents do not count. */
export type Tags = Array<string> | null;
export interface AddCampaignBatch {
  /** The name of the campaign. Recipients do not see it. */
  name: string;
  /** A description for your own use. */
  desc?: string | null | undefined;
  html?: Html | undefined;
  text?: TypedText | undefined;
  on_unknown_tags?: UnknownTags | undefined;
  translations?: Translations | undefined;
  with_fields?: WithFields | undefined;
  on_missing_value?: OnMissingValue | undefined;
  image?: Base64File | undefined;
  file_name?: FileName | undefined;
  media?: PostFiles | undefined;
  mention_all?: MentionAll | undefined;
  pin_for?: PinPostFor | undefined;
  reply_to?: ReplyTo | undefined;
  follow_up?: FollowUp | undefined;
  account_id?: SendingAccount | undefined;
  group_list_ids?: GroupListIds | undefined;
  from_template?: FromTemplate | undefined;
  poll?: Poll | undefined;
  event?: GroupEvent | undefined;
  link_preview?: LinkCard | undefined;
  fetch_link_preview?: FetchLinkCard | undefined;
  group_metadata_ids?: PostGroupIds | undefined;
  /** Stored and returned only: the ids determine whether posts go to channels. */
  is_channel_campaign?: boolean | null | undefined;
  external_id?: ExternalId | undefined;
  metadata?: Metadata | undefined;
  tags?: Tags | undefined;
  is_schedule?: true | null | undefined;
  start_date: string;
  /** Inclusive. Required without `recurrence`; then at most 366 days in all. */
  end_date?: string | null | undefined;
  /** Wall-clock time in the time zone, HH:MM:SS. */
  schedule_time: string;
  recurrence?: string | null | undefined;
  /** An IANA time zone. Default: the user's. */
  time_zone?: string | null | undefined;
  /** Days of the week to send on; 1 is Monday. Default: every day. */
  weekdays?: Array<number> | null | undefined;
  /** Dates without a run. */
  skip_dates?: Array<string> | null | undefined;
}
export interface PostWarning {
  code: string;
  message: string;
  params?: IssueParams | undefined;
}
/** `null`: recipients see `file`. */
export type ShownFileName = string | null;
export type PostFilesCopy = Array<{
  media_id: number;
  caption?: string | undefined;
  file_name?: string | undefined;
}> | null;
export type SaidByCard = { url: string; title: string; description: string } | null;
export interface PostedPoll {
  question: string;
  options: Array<string>;
  multiple: boolean;
  open_hours: number | null;
  names_voters: boolean;
}
export interface PostedEvent {
  name: string;
  description: string | null;
  place: string | null;
  start_at: string;
  end_at: string | null;
}
export interface ShownFile {
  media_id: number;
  mime: string;
  /** In bytes. */
  size: number;
  /** SHA-256 hash; `get-media` takes it. */
  sha256: string;
  /** As recipients see it. `null`: `file`. */
  file_name: string | null;
  /** `null`: none of its own. */
  caption: string | null;
  /** Of a film: whether members see a picture of it at once. */
  has_still: boolean;
}
export interface OneCampaign {
  campaign_id: string;
}
/** A body for `add-campaign`. */
export interface CampaignCopy {
  name: string;
  desc: string;
  html: string;
  translations?: PostTranslations | undefined;
  with_fields?: true | undefined;
  /** Absent: `reject`. */
  on_missing_value?: 'leave_out' | undefined;
  /** A data URL. `null` without a file, or if it is no longer kept. */
  image: string | null;
  file_name: ShownFileName;
  mention_all: boolean;
  pin_for: PinFor | null;
  reply_to: RepliedCampaign;
  follow_up: FollowedCampaign;
  account_id: ChosenAccount;
  group_list_ids?: ListsOfPost | undefined;
  from_template: string | null;
  link_preview: LinkCardCopy;
  poll: PostedPoll | null;
  event: PostedEvent | null;
  media: PostFilesCopy;
  group_metadata_ids: Array<number>;
  is_channel_campaign: boolean;
  /** Of a post that is asked for. A copy of a campaign has none. */
  external_id?: string | undefined;
  metadata: OwnTexts;
  tags: Array<string>;
  is_schedule: false;
  schedule_time: string | null;
}
export type PostTranslations = Array<{ language: string; html: string }>;
/** The earlier campaign whose posts are quoted. */
export type RepliedCampaign = { campaign_id: string; run_id: number | null } | null;
/** The earlier campaign, and how few members of a group have read it. */
export type FollowedCampaign = { campaign_id: string; run_id: number | null; under_percent: number } | null;
/** `null`: the sender of each group sends. */
export type ChosenAccount = number | null;
/** Absent: none. */
export type ListsOfPost = Array<number>;
/** As `link_preview` of a request. */
export type LinkCardCopy = {
  url: string;
  title: string;
  description: string;
  /** A data URL. */
  image: string | null;
} | null;
/** A body for `add-campaign-batch`. */
export interface ScheduledCampaignCopy {
  name: string;
  desc: string;
  html: string;
  translations?: PostTranslations | undefined;
  with_fields?: true | undefined;
  /** Absent: `reject`. */
  on_missing_value?: 'leave_out' | undefined;
  /** A data URL. `null` without a file, or if it is no longer kept. */
  image: string | null;
  file_name: ShownFileName;
  mention_all: boolean;
  pin_for: PinFor | null;
  reply_to: RepliedCampaign;
  follow_up: FollowedCampaign;
  account_id: ChosenAccount;
  group_list_ids?: ListsOfPost | undefined;
  from_template: string | null;
  link_preview: LinkCardCopy;
  poll: PostedPoll | null;
  event: PostedEvent | null;
  media: PostFilesCopy;
  group_metadata_ids: Array<number>;
  is_channel_campaign: boolean;
  /** Of a post that is asked for. A copy of a campaign has none. */
  external_id?: string | undefined;
  metadata: OwnTexts;
  tags: Array<string>;
  is_schedule: true;
  start_date: string;
  end_date: string | null;
  schedule_time: string;
  /** Absent: every day. */
  recurrence?: string | undefined;
  time_zone: string;
  weekdays: Array<number> | null;
  skip_dates: Array<string>;
}
export interface UpdateCampaign {
  campaign_id: string;
  name?: string | null | undefined;
  desc?: string | null | undefined;
  html?: Html | null | undefined;
  text?: TypedText | undefined;
  on_unknown_tags?: UnknownTags | undefined;
  translations?: Translations | undefined;
  with_fields?: WithFields | undefined;
  on_missing_value?: OnMissingValue | undefined;
  /** A file, as in add-campaign-batch. Omitted: the file stays. */
  image?: Base64File | undefined;
  /** Removes the file with its `file_name`. */
  remove_image?: boolean | null | undefined;
  file_name?: FileName | undefined;
  media?: PostFiles | undefined;
  mention_all?: MentionAll | undefined;
  pin_for?: PinPostFor | undefined;
  reply_to?: ReplyTo | undefined;
  follow_up?: FollowUp | undefined;
  account_id?: SendingAccount | undefined;
  group_list_ids?: GroupListIds | undefined;
  from_template?: FromTemplate | undefined;
  poll?: Poll | undefined;
  event?: GroupEvent | undefined;
  link_preview?: LinkCard | undefined;
  fetch_link_preview?: FetchLinkCard | undefined;
  /** Optional fields of the post to remove. */
  remove?:
    | Array<
        | 'file_name'
        | 'media'
        | 'mention_all'
        | 'pin_for'
        | 'reply_to'
        | 'follow_up'
        | 'account_id'
        | 'group_list_ids'
        | 'from_template'
        | 'link_preview'
        | 'poll'
        | 'event'
      >
    | null
    | undefined;
  group_metadata_ids?: PostGroupIds | undefined;
  is_channel_campaign?: boolean | null | undefined;
  /** As `external_id` of a new one; `""` takes it away. */
  external_id?: string | null | undefined;
  /** As `metadata` of a new one. Replaces all that is there. */
  metadata?: OwnTexts | null | undefined;
  /** Replaces all, in any state. */
  tags?: Tags | undefined;
  start_date?: string | null | undefined;
  end_date?: string | null | undefined;
  schedule_time?: string | null | undefined;
  time_zone?: string | null | undefined;
  /** Days of the week to send on; 1 is Monday. All seven mean every day. */
  weekdays?: Array<number> | null | undefined;
  /** Dates without a run; `[]` skips none. */
  skip_dates?: Array<string> | null | undefined;
  /** As in add-campaign-batch, together with its end: without `end_date` it has only its own. An empty text means every day. */
  recurrence?: string | null | undefined;
}
export interface CampaignState {
  campaign_id: string;
  status: CampaignStatus;
  left_unknown?: number | undefined;
}
export type CampaignStatus = 'scheduled' | 'running' | 'paused' | 'completed' | 'completed_with_errors' | 'cancelled';
/** Only campaigns with this tag. */
export type TagFilter = string | null;
/** The post has `follow_up`. Absent for all others. */
export type IsFollowUp = true;
export interface StoredFile {
  mime: string;
  /** In bytes. */
  size: number;
  /** SHA-256 hash; `get-media` takes it. */
  sha256: string;
}
/** `null`: the link goes without a preview. */
export type LinkCardShown = { url: string; title: string; description: string; picture: StoredFile | null } | null;
export interface Run {
  run_id: number;
  due_at: string;
  /** When the schedule has it. Absent unless it was moved, or the zone changed after it had begun. */
  moved_from?: string | undefined;
  started_at: string | null;
  finished_at: string | null;
  status: RunStatus;
  queued: number;
  sent: number;
  failed: number;
  cancelled: number;
  skipped?: Skipped | undefined;
  /** Nobody was in its lists. */
  reason?: 'lists_empty' | undefined;
}
export type RunStatus = 'planned' | 'running' | 'completed' | 'completed_with_errors' | 'missed' | 'cancelled';
/** Of the cancelled: groups that a follow-up left out. Absent without any. */
export type Skipped = number;
export interface RetryCampaign {
  campaign_id: string;
  /** Also give posts to another account that may have left by one that is no longer linked (`unlinked`, `logged_out`, or removed). A group may get such a post twice. */
  accept_duplicates?: boolean | null | undefined;
  /** Leave posts that may have arrived, and count them in `left_unknown`. */
  leave_unknown?: boolean | null | undefined;
  /** Only this run. Default: the whole campaign. */
  run_id?: number | null | undefined;
}
export interface PinRequested {
  campaign_id: string;
  run_id: number;
  /** Number of groups with a sent post to pin or unpin. */
  groups: number;
}
export interface ImportPlan {
  /** All rows of a plan are in one request. */
  plan: string;
  rows?:
    | Array<{
        key?: string | null | undefined;
        date?: string | null | undefined;
        time?: string | null | undefined;
        time_zone?: string | null | undefined;
        /** By id, name or `external_id`, as `groups`. */
        list?: number | string | null | undefined;
        groups?: Array<number | string> | null | undefined;
        /** As in `add-campaign-batch`. */
        html?: string | null | undefined;
        text?: string | null | undefined;
        media_id?: number | null | undefined;
        template?: number | string | null | undefined;
        name?: string | null | undefined;
        note?: string | null | undefined;
        tags?: Array<string> | null | undefined;
      }>
    | null
    | undefined;
  /** CSV or XLSX in base64. */
  file?: string | null | undefined;
  date_format?: 'DD/MM/YYYY' | 'MM/DD/YYYY' | null | undefined;
  /** Of rows without one. */
  time_zone?: string | null | undefined;
  /** Changes nothing. */
  dry_run: boolean;
  from_row?: number | null | undefined;
  remove_gone?: boolean | null | undefined;
}
export interface SaveDraft {
  /** A random UUID that the client generates. */
  draft_id: string;
  version: SavedVersion;
  name?: string | null | undefined;
  /** The message, as in add-campaign. Not validated. */
  html?: string | null | undefined;
  text?: TypedText | undefined;
  translations?: Translations | undefined;
  with_fields?: WithFields | undefined;
  on_missing_value?: OnMissingValue | undefined;
  /** Whether the campaign is to be scheduled. */
  is_schedule?: boolean | null | undefined;
  start_date?: string | null | undefined;
  end_date?: string | null | undefined;
  schedule_time?: string | null | undefined;
  time_zone?: string | null | undefined;
  recurrence?: string | null | undefined;
  weekdays?: DraftWeekdays | undefined;
  skip_dates?: DraftSkipDates | undefined;
  /** The `Idempotency-Key` to send the campaign with, so that two clients cannot send it twice. */
  idempotency_key?: string | null | undefined;
  /** A file in base64, as in add-campaign. Omitted: the file stays. */
  image?: string | null | undefined;
  /** Removes the file. */
  remove_image?: boolean | null | undefined;
  tags?: Tags | undefined;
  file_name?: FileName | undefined;
  media?: PostFiles | undefined;
  mention_all?: MentionAll | undefined;
  pin_for?: PinPostFor | undefined;
  reply_to?: ReplyTo | undefined;
  follow_up?: FollowUp | undefined;
  account_id?: SendingAccount | undefined;
  group_list_ids?: GroupListIds | undefined;
  from_template?: FromTemplate | undefined;
  poll?: DraftPoll | undefined;
  event?: DraftEvent | undefined;
  link_preview?: LinkCard | undefined;
  group_metadata_ids?: Array<number> | null | undefined;
}
/** The version that you have changed; 0 for a new one. */
export type SavedVersion = number;
/** 1 is Monday. */
export type DraftWeekdays = Array<number> | null;
/** Dates without a run. A campaign reads those in its range. */
export type DraftSkipDates = Array<string> | null;
export type DraftPoll = {
  question?: string | null | undefined;
  options?: Array<string> | null | undefined;
  /** Each member may choose several options. */
  multiple?: boolean | null | undefined;
  /** Votes are counted for so many hours from the start of the run. Default: 90 days. */
  open_hours?: number | null | undefined;
  /** Stores who voted, so that `export-poll` can name the voters. Default: nothing is stored of who they are. */
  names_voters?: boolean | null | undefined;
} | null;
export type DraftEvent = {
  name?: string | null | undefined;
  description?: string | null | undefined;
  place?: string | null | undefined;
  start_at?: string | null | undefined;
  end_at?: string | null | undefined;
} | null;
export interface MemberName {
  user_id: number;
  /** `null`: no longer a member, or deleted. */
  user_name: string | null;
  /** First and last name, or the user name without any. */
  name: string | null;
}
export interface DraftContent {
  html: string;
  translations?: PostTranslations | undefined;
  with_fields?: boolean | undefined;
  on_missing_value?: 'reject' | 'leave_out' | undefined;
  is_schedule: boolean;
  start_date: string | null;
  end_date: string | null;
  schedule_time: string | null;
  time_zone: string | null;
  recurrence: string | null;
  weekdays: Array<number> | null;
  skip_dates: Array<string> | null;
  idempotency_key: string | null;
  tags?: Array<string> | undefined;
  file_name: ShownFileName;
  mention_all: boolean;
  pin_for: PinFor | null;
  reply_to: RepliedCampaign;
  follow_up: FollowedCampaign;
  account_id: ChosenAccount;
  group_list_ids?: ListsOfPost | undefined;
  from_template: string | null;
  link_preview: LinkCardCopy;
  poll: PostedPoll | null;
  event: DraftedEvent | null;
  media: PostFilesCopy;
  /** Those of `media` that are still kept. */
  files: Array<ShownFile>;
  /** Without deleted ones. */
  groups: Array<PickedGroup>;
  /** Without those of its lists only. */
  own_group_metadata_ids: Array<number>;
}
export interface DraftedEvent {
  name: string;
  description: string | null;
  place: string | null;
  start_at: string | null;
  end_at: string | null;
}
export interface PickedGroup {
  group_metadata_id: number;
  group_name: string;
  kind: GroupKind;
  participants: number;
}
export interface SaveTemplate {
  /** A random UUID that the client generates. */
  template_id: string;
  version: SavedVersion;
  name: string;
  /** The message, as in add-campaign. Not validated. */
  html?: string | null | undefined;
  text?: TypedText | undefined;
  translations?: Translations | undefined;
  with_fields?: WithFields | undefined;
  on_missing_value?: OnMissingValue | undefined;
  /** Whether the campaign is to be scheduled. */
  is_schedule?: boolean | null | undefined;
  start_date?: string | null | undefined;
  end_date?: string | null | undefined;
  schedule_time?: string | null | undefined;
  time_zone?: string | null | undefined;
  recurrence?: string | null | undefined;
  weekdays?: DraftWeekdays | undefined;
  skip_dates?: DraftSkipDates | undefined;
  /** A file in base64. It becomes the one of `media`. */
  image?: string | null | undefined;
  tags?: Tags | undefined;
  file_name?: FileName | undefined;
  media?: PostFiles | undefined;
  mention_all?: MentionAll | undefined;
  pin_for?: PinPostFor | undefined;
  reply_to?: ReplyTo | undefined;
  follow_up?: FollowUp | undefined;
  account_id?: SendingAccount | undefined;
  /** Saved lists, to which a post that begins with it also goes. */
  group_list_ids?: Array<number> | null | undefined;
  poll?: DraftPoll | undefined;
  event?: DraftEvent | undefined;
  link_preview?: LinkCard | undefined;
  group_metadata_ids?: Array<number> | null | undefined;
}
export interface TemplateContent {
  html: string;
  translations?: PostTranslations | undefined;
  with_fields?: boolean | undefined;
  on_missing_value?: 'reject' | 'leave_out' | undefined;
  is_schedule: boolean;
  start_date: string | null;
  end_date: string | null;
  schedule_time: string | null;
  time_zone: string | null;
  recurrence: string | null;
  weekdays: Array<number> | null;
  skip_dates: Array<string> | null;
  tags?: Array<string> | undefined;
  file_name: ShownFileName;
  mention_all: boolean;
  pin_for: PinFor | null;
  reply_to: RepliedCampaign;
  follow_up: FollowedCampaign;
  account_id: ChosenAccount;
  group_list_ids?: ListsOfPost | undefined;
  from_template: string | null;
  link_preview: LinkCardCopy;
  poll: PostedPoll | null;
  event: DraftedEvent | null;
  media: PostFilesCopy;
  name: string;
  group_metadata_ids: Array<number>;
}
export interface Approval {
  approval_id: string;
  state: ApprovalState;
  /** Its first time passed before it was approved. */
  reason: 'time_passed' | null;
  /** Rises with each change. */
  version: number;
  /** Of content, groups and plan. */
  sha256: string;
  name: string;
  /** 500 characters. */
  text_start: string;
  group_count: number;
  is_schedule: boolean;
  /** `null`: it is sent once it is approved. */
  first_due_at: string | null;
  asked_by: MemberName;
  /** Who asked for a version of it, or wrote its draft before. They do not decide while another member can. */
  written_by: Array<MemberName>;
  asked_at: string;
  updated_at: string;
  /** Members who have approved this version. */
  approvals: number;
  approvals_needed: number;
  /** Who has to act next: those who may decide and have not approved, or the person who asked. */
  waits_for: Array<MemberName>;
  /** Whether you may. */
  may_decide: boolean;
  campaign_id: string | null;
}
/** `scheduled`, `sending`: approved; `campaign_id` has states of its own. */
export type ApprovalState = 'waiting' | 'changes_requested' | 'rejected' | 'withdrawn' | 'scheduled' | 'sending';
export interface ApprovalRules {
  approval: ApprovalRule;
  /** With `all`: managers and the owner send to so many groups without one. */
  over_groups: number;
  /** 1 or 2. */
  approvers: number;
  review_group_id: number | null;
  review_group_name: string | null;
  /** For the owner. */
  phone_approvers?: Array<{ user_id: number; whatsapp_number: string }> | undefined;
}
/** `authors`: authors may ask. `all`: also posts of managers and the owner need an approval. */
export type ApprovalRule = 'never' | 'authors' | 'all';
export interface OneApproval {
  approval_id: string;
}
export interface DecideApproval {
  approval_id: string;
  /** Rejecting is final. */
  decision: 'approve' | 'request_changes' | 'reject';
  /** The `sha256` of the version that you have read. */
  sha256: string;
  remark?: string | null | undefined;
}
export interface SetApprovalRules {
  approval?: ApprovalRule | null | undefined;
  over_groups?: number | null | undefined;
  approvers?: number | null | undefined;
  /** A group or community of the account that it may post to, no channel. `none` removes it. */
  review_group_id?: number | 'none' | null | undefined;
  /** All whose 👍 in the review group approves. */
  phone_approvers?: Array<{ user_id: number; whatsapp_number: string }> | null | undefined;
}
export interface LibraryFile {
  media_id: number;
  /** How members see it. */
  kind: 'image' | 'video' | 'audio' | 'document';
  mime: string;
  /** In bytes. */
  size: number;
  /** SHA-256 hash; `get-media` takes it. */
  sha256: string;
  /** As it was uploaded. `null`: it came in base64. */
  name: string | null;
  /** Of a film, in pixels. */
  width: number | null;
  height: number | null;
  /** The length of a film. */
  seconds: number | null;
  /** Of a film: whether it has a picture (`set-still`). */
  has_still: boolean;
  /** When it was last uploaded or put into a campaign. */
  used_at: string;
}
export interface GroupAnalytics {
  campaign: {
    campaign_id: string;
    name: string;
    desc: string;
    external_id?: OwnId | undefined;
    metadata?: OwnTexts | undefined;
    tags?: Array<string> | undefined;
    status: CampaignStatus;
    /** Why the service paused it, and what to do. Absent if a user paused it. */
    pause_reason?: string | undefined;
    is_channel_campaign: boolean;
    is_schedule: boolean;
    start_date: string | null;
    end_date: string | null;
    schedule_time: string | null;
    /** RFC 5545. `null`: none, so that it runs every day. */
    recurrence: string | null;
    time_zone: string | null;
    created_at: string;
    finished_at: string | null;
    /** When its single posts were rolled up into sums. Absent before. The sums stay. */
    folded_at?: string | undefined;
  };
  totals: {
    groups: number;
    runs: number;
    runs_done: number;
    /** queued + sent + failed + cancelled. */
    deliveries: number;
    queued: number;
    sent: number;
    failed: number;
    cancelled: number;
    /** Sent deliveries that were deleted for everyone. Present once a recall or correction was requested. */
    recalled?: number | undefined;
    /** Sent deliveries that were edited. Present like `recalled`. */
    corrected?: number | undefined;
    /** Sent deliveries that are pinned now. Present once a pin was requested. */
    pinned?: number | undefined;
    /** Sent deliveries that were unpinned. Present like `pinned`. */
    unpinned?: number | undefined;
    /** Sent deliveries that are still to be pinned or unpinned. Present like `pinned`. */
    pins_waiting?: number | undefined;
    /** Sent deliveries that could not be pinned or unpinned. Present like `pinned`. */
    pins_failed?: number | undefined;
    /** Deliveries that mention everybody. Present once a post with `mention_all` was sent. */
    mentions?: number | undefined;
    /** Deliveries without the mention of everybody. Present like `mentions`. */
    mentions_left_out?: number | undefined;
    /** Sent deliveries that quote an earlier post. Present once a post with `reply_to` was sent. */
    quotes?: number | undefined;
    /** Participants other than the sender when the post was sent, summed over sent deliveries. */
    recipients: number;
    delivered: ReportedCount;
    read: ReportedCount;
    reactions: ReportedCount;
    replies: ReportedCount;
    views: ReportedCount;
    delivery_rate: ReadRate;
    read_rate: ReadRate;
    skipped?: Skipped | undefined;
    /** With `with_estimate`. `null`: nothing is running, or the end is unknown. */
    expected_finish_at?: string | null | undefined;
  };
  groups: Array<{
    group_metadata_id: number;
    group_name: string;
    /** Absent: none. */
    group_external_id?: string | undefined;
    kind: 'group' | 'community' | 'channel';
    participants: number;
    /** queued + sent + failed + cancelled. */
    deliveries: number;
    queued: number;
    sent: number;
    failed: number;
    cancelled: number;
    /** Sent deliveries that were deleted for everyone. Present once a recall or correction was requested. */
    recalled?: number | undefined;
    /** Sent deliveries that were edited. Present like `recalled`. */
    corrected?: number | undefined;
    /** Sent deliveries that are pinned now. Present once a pin was requested. */
    pinned?: number | undefined;
    /** Sent deliveries that were unpinned. Present like `pinned`. */
    unpinned?: number | undefined;
    /** Sent deliveries that are still to be pinned or unpinned. Present like `pinned`. */
    pins_waiting?: number | undefined;
    /** Sent deliveries that could not be pinned or unpinned. Present like `pinned`. */
    pins_failed?: number | undefined;
    /** Deliveries that mention everybody. Present once a post with `mention_all` was sent. */
    mentions?: number | undefined;
    /** Deliveries without the mention of everybody. Present like `mentions`. */
    mentions_left_out?: number | undefined;
    /** Sent deliveries that quote an earlier post. Present once a post with `reply_to` was sent. */
    quotes?: number | undefined;
    /** Participants other than the sender when the post was sent, summed over sent deliveries. */
    recipients: number;
    delivered: ReportedCount;
    read: ReportedCount;
    reactions: ReportedCount;
    replies: ReportedCount;
    views: ReportedCount;
    delivery_rate: ReadRate;
    read_rate: ReadRate;
    first_sent_at: string | null;
    last_sent_at: string | null;
    /** The error of the latest run with a failure, or else of the last recall or correction, and what to do about it. */
    last_error: string | null;
    error_code?: FailureCode | undefined;
    error_params?: FailureParams | undefined;
    skipped?: SkippedReason | undefined;
    /** Why its post was not pinned or unpinned. Present like `pinned`. */
    pin_error?: string | null | undefined;
    pin_error_code?: FailureCode | undefined;
    pin_error_params?: FailureParams | undefined;
    /** When the last pinned post stops being pinned. Present like `pinned`. */
    pinned_until?: string | null | undefined;
    /** Why everybody was not mentioned. Present like `mentions_left_out`. */
    mention_left_out?: string | null | undefined;
    mention_left_out_code?: FailureCode | undefined;
    mention_left_out_params?: FailureParams | undefined;
    /** Members whom the latest post left out, of those that left somebody out: WhatsApp tells no device of theirs. Absent: nobody was left out. */
    members_without_devices?: number | undefined;
  }>;
  /** With `with_accounts`: the accounts that send, or have sent, each with its share. */
  accounts?: Array<AccountShare> | undefined;
  runs: Array<Run>;
  timeline: Array<{ at: string; sent: number; delivered: number; read: number }>;
}
/** `null`: the messaging application does not report it. */
export type ReportedCount = number | null;
/** Relative to the recipients whose receipts are reported, so without channels. `null` without any. */
export type ReadRate = number | null;
/** A stable code. `outcome_unknown`: the post may have arrived. */
export type FailureCode = string;
/** What the reason names. Of `outcome_unknown`, `cause` is a code. */
export type FailureParams = Record<string, string | number>;
/** Why a follow-up left the group out, such as `read by 72 %`. Absent if it did not. */
export type SkippedReason = string;
/** What one account sends of a campaign. */
export interface AccountShare {
  account_id: number;
  name: string | null;
  deliveries: number;
  queued: number;
  sent: number;
  failed: number;
  cancelled: number;
  recipients: number;
  delivered: number;
  read: number;
  read_rate: ReadRate;
  /** With `with_estimate`. `null`: it has nothing to send, or is not connected. */
  expected_finish_at?: string | null | undefined;
}
export interface Overview {
  totals: OverviewTotals;
  /** With `with_previous`. */
  previous?: OverviewTotals | undefined;
  /** Every day of the range, oldest first. */
  daily: Array<{
    /** In your time zone. */
    date: string;
    /** Runs that have begun: one for a campaign sent now, one per day of a schedule. */
    runs: number;
    /** Sent posts: one per run and group. */
    sent: number;
    failed: number;
    delivered: number;
    read: number;
    /** The former name of `runs`, with the same number. */
    posts: number;
    read_rate: ReadRate;
  }>;
}
export interface OverviewTotals {
  /** Campaigns with a sent post, counted once each. */
  campaigns: number;
  /** Groups with a sent post, counted once each. */
  groups: number;
  /** Runs that were due and could not begin in time. */
  missed_runs: number;
  /** Runs that have begun: one for a campaign sent now, one per day of a schedule. */
  runs: number;
  /** Sent posts: one per run and group. */
  sent: number;
  failed: number;
  delivered: number;
  read: number;
  /** The former name of `runs`, with the same number. */
  posts: number;
  read_rate: ReadRate;
}
export interface GroupReport {
  group: {
    group_metadata_id: GroupId;
    group_name: string;
    kind: GroupKind;
    nid: Nid;
    participants: number;
    /** Whether any of your accounts may post there. */
    can_send: boolean;
    invite_link: string | null;
    external_id: OwnId;
    metadata: OwnTexts;
    fields: FieldsOfGroup;
    /** When it was found to be gone. `null`: it exists. */
    removed_at: string | null;
  };
  /** The saved lists that contain it. */
  group_lists: Array<{ group_list_id: number; name: string }>;
  /** Sums over `posts`. */
  totals: {
    posts: number;
    failed: number;
    recipients: number;
    read: number;
    /** `null` without recipients. */
    read_rate: number | null;
  };
  /** Newest first, 1,000 at most. */
  posts: Array<{
    campaign_id: string;
    /** `null`: all posts of a campaign that was rolled up. */
    run_id: number | null;
    /** When it was sent, or when its run began if it was not sent. */
    at: string;
    /** The name of the campaign. */
    name: string;
    queued: number;
    sent: number;
    failed: number;
    cancelled: number;
    /** People who could have read it. */
    recipients: number;
    /** Number of reads. For a channel, its views. */
    read: number;
    /** The cause, and what to do about it. */
    error: string | null;
    error_code?: FailureCode | undefined;
    error_params?: FailureParams | undefined;
    skipped?: SkippedReason | undefined;
    /** `null` without recipients. */
    read_rate: number | null;
  }>;
  /** Planned runs, soonest first, 20 at most. */
  planned: Array<{
    campaign_id: string;
    /** The name of the campaign. */
    name: string;
    campaign_status: CampaignStatus;
    run_id: number;
    due_at: string;
  }>;
  /** The number of participants on each day on which it changed, oldest first. */
  members: Array<{
    /** In UTC. */
    date: string;
    participants: number;
  }>;
}
export interface Report {
  start_date: string;
  end_date: string;
  time_zone: string;
  campaign: { campaign_id: string; name: string } | null;
  group_list_name: string | null;
  tag: string | null;
  workspace_name: string | null;
  totals: {
    /** Runs that began. */
    runs: number;
    /** Posts: one per run and group. */
    sent: number;
    failed: number;
    delivered: number;
    read: number;
    /** Recipients whose reads are reported: the divisor of `read_rate`. */
    rated_recipients: number;
    /** `null` without recipients whose reads are reported. */
    read_rate: number | null;
    /** Groups with a sent post, once each. */
    groups: number;
    /** Runs that were due and could not begin in time: nothing of them was sent. */
    missed_runs: number;
    /** Members of these groups and communities without the sender, once for each group. */
    people_reached: number;
    /** Followers of these channels. */
    followers_reached: number;
    recipients: number;
    reactions: number;
    replies: number;
    /** Of channels. `null`: unknown. */
    views: number | null;
  };
  /** As many days directly before. */
  previous: {
    start_date: string;
    end_date: string;
    /** Runs that began. */
    runs: number;
    /** Posts: one per run and group. */
    sent: number;
    failed: number;
    delivered: number;
    read: number;
    /** Recipients whose reads are reported: the divisor of `read_rate`. */
    rated_recipients: number;
    /** `null` without recipients whose reads are reported. */
    read_rate: number | null;
  };
  daily: Array<{
    date: string;
    /** Runs that began. */
    runs: number;
    /** Posts: one per run and group. */
    sent: number;
    failed: number;
    delivered: number;
    read: number;
    /** Recipients whose reads are reported: the divisor of `read_rate`. */
    rated_recipients: number;
    /** `null` without recipients whose reads are reported. */
    read_rate: number | null;
  }>;
  hours: {
    /** The hour at which the runs began, 0 to 23. `null`: not enough runs to say. */
    best: number | null;
    /** `clear`: the difference to all other times is significant. `unclear`: it may be chance. */
    certainty: 'clear' | 'unclear' | 'not_enough';
    times: Array<{
      /** The hour at which the runs began, 0 to 23. */
      value: number;
      runs: number;
      read_rate: number;
      /** Of the 95 % interval. `null` below 5 runs. */
      low: number | null;
      high: number | null;
    }>;
  };
  weekdays: {
    /** The weekday, 1 is Monday. `null`: not enough runs to say. */
    best: number | null;
    /** `clear`: the difference to all other times is significant. `unclear`: it may be chance. */
    certainty: 'clear' | 'unclear' | 'not_enough';
    times: Array<{
      /** The weekday, 1 is Monday. */
      value: number;
      runs: number;
      read_rate: number;
      /** Of the 95 % interval. `null` below 5 runs. */
      low: number | null;
      high: number | null;
    }>;
  };
  /** With `with_runs`: newest first, `limit` at most, and 1,000. */
  runs?: Array<ReportRun> | undefined;
  /** Groups with a sent or failed post. */
  group_count: number;
  silent_count: number;
  /** Groups with a failed post. */
  failed_count: number;
  /** By read rate, highest first, channels last, `limit` at most. */
  groups: Array<ReportGroup>;
  /** Largest first, `limit` at most. */
  silent_groups: Array<ReportGroup>;
  /** Most failures first, `limit` at most. */
  failed_groups: Array<ReportGroup>;
  /** Failed posts by the latest cause in their group, 50 causes at most. */
  failures: Array<{
    error: string;
    error_code?: FailureCode | undefined;
    error_params?: FailureParams | undefined;
    groups: number;
    posts: number;
  }>;
  /** Runs of rolled-up campaigns whose posts per group are no longer known, so that `groups` lacks them. */
  unknown_runs: number;
}
export interface ReportRun {
  run_id: number;
  campaign: { campaign_id: string; name: string };
  started_at: string;
  post_kind: 'text' | 'file' | 'files' | 'poll' | 'event';
  /** Posts: one per run and group. */
  sent: number;
  failed: number;
  delivered: number;
  read: number;
  /** Recipients whose reads are reported: the divisor of `read_rate`. */
  rated_recipients: number;
  /** `null` without recipients whose reads are reported. */
  read_rate: number | null;
  /** A small JPEG as a `data:` URL, of the newest 50. */
  thumbnail: string | null;
}
export interface ReportGroup {
  group_metadata_id: number;
  group_name: string;
  kind: GroupKind;
  /** Now. */
  participants: number;
  sent: number;
  failed: number;
  /** Participants other than the sender, once for each post. */
  recipients: number;
  delivered: number;
  read: number;
  /** `null` without recipients whose reads are reported. */
  read_rate: number | null;
  reactions: number;
  replies: number;
  /** Of a channel. `null`: unknown. */
  views: number | null;
  first_sent_at: string | null;
  last_sent_at: string | null;
  /** The cause of the latest failure, and what to do about it. */
  last_error: string | null;
  error_code?: FailureCode | undefined;
  error_params?: FailureParams | undefined;
  /** Nobody has read it or reacted, a day after the first post. */
  is_silent: boolean;
}
export interface PollResults {
  kind: 'poll' | 'event';
  /** Of an event its name. */
  question: string;
  /** Of an event `going`, `maybe` and `not_going`. */
  options: Array<string>;
  multiple: boolean;
  names_voters: boolean;
  runs: Array<{
    run_id: number;
    due_at: string;
    /** When the run stops counting votes. `null`: it has not begun, or counts for 90 days. */
    closes_at: string | null;
  }>;
  /** Members whose newest vote chose at least one option. */
  voters: number;
  /** Members whose newest vote could not be opened, or makes no sense. They are in no other number. */
  unreadable: number;
  /** The votes of each option, in the order of `options`. */
  votes: Array<number>;
  /** Every group of these runs. Their sums are the numbers above. */
  groups: Array<{
    group_metadata_id: number;
    group_name: string;
    kind: 'group' | 'community' | 'channel';
    /** Members whose newest vote chose at least one option. */
    voters: number;
    /** Members whose newest vote could not be opened, or makes no sense. They are in no other number. */
    unreadable: number;
    /** The votes of each option, in the order of `options`. */
    votes: Array<number>;
  }>;
  /** By the hour in which the votes that count were received. The sums are the numbers above. */
  timeline: Array<{
    at: string;
    /** Members whose newest vote chose at least one option. */
    voters: number;
    /** Members whose newest vote could not be opened, or makes no sense. They are in no other number. */
    unreadable: number;
    /** The votes of each option, in the order of `options`. */
    votes: Array<number>;
  }>;
}
export interface CreateWebhook {
  /** The endpoint: an `https://` URL with a public address. */
  url: string;
  /** The events to subscribe to: types, families (`campaign.*`), or all (`*`). */
  events?: Array<EventFilter> | null | undefined;
  description?: string | null | undefined;
  signature?: WebhookSignature | null | undefined;
}
/** An event type, all types of a family (`campaign.*`), or all types (`*`), including those of later versions. */
export type EventFilter =
  | '*'
  | 'campaign.*'
  | 'run.*'
  | 'delivery.*'
  | 'account.*'
  | 'group.*'
  | 'message.*'
  | 'poll.*'
  | 'campaign.accepted'
  | 'campaign.started'
  | 'campaign.completed'
  | 'campaign.completed_with_errors'
  | 'campaign.paused'
  | 'campaign.resumed'
  | 'campaign.cancelled'
  | 'campaign.missed'
  | 'campaign.late'
  | 'campaign.rescheduled'
  | 'campaign.recalled'
  | 'campaign.corrected'
  | 'campaign.pinned'
  | 'campaign.unpinned'
  | 'campaign.waiting'
  | 'campaign.decided'
  | 'run.started'
  | 'run.completed'
  | 'delivery.failed'
  | 'delivery.unknown'
  | 'account.connected'
  | 'account.paused'
  | 'account.restricted'
  | 'account.logged_out'
  | 'account.version_refused'
  | 'account.waiting'
  | 'account.handed_over'
  | 'group.changed'
  | 'message.reply'
  | 'message.reaction'
  | 'poll.vote';
/** The Standard Webhooks signature: `v1` is HMAC-SHA256 with a shared secret, `v1a` is Ed25519, which the receiver verifies with a public key. */
export type WebhookSignature = 'v1' | 'v1a';
export interface Webhook {
  webhook_id: string;
  url: string;
  description: string;
  events: Array<EventFilter>;
  signature: WebhookSignature;
  /** For `v1a`: the public key, `whpk_…`. `null` for `v1`. */
  public_key: string | null;
  created_at: string;
  /** `failing`: the last attempt failed, and the next one is at `next_try_at`. */
  status: 'active' | 'failing' | 'disabled';
  /** `gone`: the endpoint answered 410. `failing`: every attempt of a day failed. */
  disabled_reason: 'by_owner' | 'gone' | 'failing' | null;
  disabled_at: string | null;
  /** Whether messages are waiting to be sent. */
  is_behind: boolean;
  /** Whether its last answer took over 2 s. It then gets fewer messages at a time, until it answers faster. */
  is_slow: boolean;
  failing_since: string | null;
  next_try_at: string | null;
  /** Until then messages are signed with the previous secret, too. */
  former_secret_until: string | null;
  /** As in `list-webhook-tries`. `null` without an attempt in the last 30 days. */
  last_try: { at: string; error: string | null; status: number | null; milliseconds: number } | null;
}
export interface UpdateWebhook {
  webhook_id: string;
  url?: string | null | undefined;
  /** The events to subscribe to, as in `create-webhook`. */
  events?: Array<EventFilter> | null | undefined;
  description?: string | null | undefined;
  /** An enabled webhook continues where it stopped, with the events of the last 30 days. */
  is_enabled?: boolean | null | undefined;
}
export interface RotateWebhookSecret {
  webhook_id: string;
  /** When the former secret expires: `now`, or an instant at most 7 days ahead. Default: after 24 hours. Until then messages are signed with both secrets. */
  expire_former?: 'now' | string | null | undefined;
}
export interface RetryWebhook {
  webhook_id: string;
  /** One message. Either this or `from` is required. */
  message_id?: string | null | undefined;
  /** Start of the time span. */
  from?: string | null | undefined;
  /** End of the time span, exclusive. Default: now. */
  to?: string | null | undefined;
}
export interface ListNotices {
  /** Maximum number of items on a page, 30 unless given. */
  limit?: number | null | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | null | undefined;
}
/** `backup_old` is for administrators only. */
export type NoticeKind =
  | 'campaign_done'
  | 'campaign_failed'
  | 'campaign_late'
  | 'campaign_missed'
  | 'campaign_paused'
  | 'campaign_rescheduled'
  | 'campaign_waiting'
  | 'campaign_decided'
  | 'account_unlinked'
  | 'version_refused'
  | 'account_waiting'
  | 'account_handed_over'
  | 'webhook_off'
  | 'backup_old';
export interface ReadNotices {
  /** The `place` of a notice. It and all earlier ones are marked as read. */
  up_to: number;
}
export interface NoticeSettings {
  kinds: Array<{
    kind: NoticeKind;
    /** In the dashboard and `list_notices`. */
    bell: boolean;
    /** In subscribed browsers, by Web Push. */
    browser: boolean;
    /** By e-mail, if the service sends mails and the address is verified. */
    email: boolean;
  }>;
  /** The `applicationServerKey` for browser subscriptions. */
  push_public_key: string;
  /** Whether the service sends mails. */
  has_mail: boolean;
}
export interface UpdateNoticeSettings {
  /** The kinds to change. */
  kinds: Array<{
    kind: NoticeKind;
    bell?: boolean | null | undefined;
    browser?: boolean | null | undefined;
    email?: boolean | null | undefined;
  }>;
}
export interface SubscribePush {
  /** The `endpoint` of the browser's `PushSubscription`: an `https://` URL with a public address. */
  endpoint: string;
  /** The public key of the subscription. */
  p256dh: string;
  /** The authentication secret of the subscription. */
  auth: string;
}
export interface UnsubscribePush {
  /** The `endpoint` of the browser's `PushSubscription`: an `https://` URL with a public address. */
  endpoint: string;
}
/** A file as members see it. */
export interface ArrivedFile {
  mime: string;
  /** In bytes. */
  size: number;
  /** SHA-256 hash; `get-media` takes it. */
  sha256: string;
  file_name: string;
  caption: string;
}
export interface SimulateIncident {
  account_id?: AccountId | undefined;
  /** `demote`: the account is no admin any more, and only admins post. `remove`: it is no member any more. `ban`: it is logged out until it is restored. `restore` ends all of that, connects the account and syncs its groups. */
  action: 'demote' | 'remove' | 'ban' | 'restore';
  /** Omitted: all groups, and the whole account. Not with `ban`. */
  group_metadata_id?: number | null | undefined;
}
export interface CampaignEventData {
  campaign_id: string;
  name: string;
  status: CampaignStatus;
  is_schedule: boolean;
  external_id: OwnId;
  metadata: OwnTexts;
  tags: Array<string>;
}
export interface CampaignRunEventData {
  campaign_id: string;
  name: string;
  status: CampaignStatus;
  is_schedule: boolean;
  external_id: OwnId;
  metadata: OwnTexts;
  tags: Array<string>;
  run_id: number;
  due_at: string;
}
export interface CampaignPausedEventData {
  campaign_id: string;
  name: string;
  status: CampaignStatus;
  is_schedule: boolean;
  external_id: OwnId;
  metadata: OwnTexts;
  tags: Array<string>;
  /** Why the messaging application refused three posts in a row, so that the service paused the campaign. */
  reason?: string | undefined;
}
export interface ApprovalAskedEventData {
  approval_id: string;
  name: string;
  version: number;
  group_count: number;
  first_due_at: string | null;
  /** A `user_id`. */
  asked_by: number;
}
export interface ApprovalDecidedEventData {
  approval_id: string;
  name: string;
  version: number;
  group_count: number;
  first_due_at: string | null;
  /** A `user_id`. */
  asked_by: number;
  decision: 'approved' | 'changes_requested' | 'rejected' | 'withdrawn' | 'time_passed';
  decided_by: number | null;
  campaign_id: string | null;
}
export interface RunEventData {
  campaign_id: string;
  /** The name of the campaign. */
  name: string;
  external_id: OwnId;
  run_id: number;
  due_at: string;
  status: RunStatus;
  group_count: number;
  queued: number;
  sent: number;
  failed: number;
  cancelled: number;
  skipped?: Skipped | undefined;
}
export interface DeliveriesEventData {
  campaign_id: string;
  run_id: number;
  deliveries: Array<{
    group_metadata_id: number;
    attempts: number;
    /** The first 80 characters of the error. */
    error: string | null;
    error_code?: FailureCode | undefined;
    error_params?: FailureParams | undefined;
  }>;
}
export interface AccountEventData {
  account_id: number;
  /** The name of the account. `null`: it has none. */
  name: string | null;
  external_id: OwnId;
  metadata: OwnTexts;
  messenger: string;
  /** The status, as in `account-status`. */
  status: string;
  reason: string | null;
  /** A code of `reason`, as in `account-status`. */
  reason_code?: string | null | undefined;
  /** The cause of a pause. */
  cause: string | null;
}
export interface AccountWaitingEventData {
  account_id: number;
  /** The name of the account. `null`: it has none. */
  name: string | null;
  external_id: OwnId;
  metadata: OwnTexts;
  /** The status, as in `account-status`. */
  status: string;
  /** Since when the account cannot send. */
  down_since: string;
  /** Why it cannot. Absent in events of earlier versions. */
  waits_for?: WaitReason | undefined;
}
export interface AccountHandedOverEventData {
  account_id: number;
  /** The name of the account. `null`: it has none. */
  name: string | null;
  external_id: OwnId;
  metadata: OwnTexts;
  /** How many deliveries other accounts send now. */
  handed_over: number;
}
export interface GroupsEventData {
  groups: Array<{
    group_metadata_id: number;
    change: 'added' | 'removed' | 'changed';
    /** The first 100 characters of the name. */
    name: string;
    kind: GroupKind;
    can_send: boolean;
    external_id: OwnId;
  }>;
}
export interface VotesEventData {
  campaign_id: string;
  run_id: number;
  groups: Array<{
    group_metadata_id: number;
    /** The total for the post, like the others. */
    voters: number;
    /** Votes that could not be opened. */
    unreadable: number;
    /** The votes of each option, in their order. */
    votes: Array<number>;
  }>;
}
/** Events since that id are no longer known. A snapshot follows. */
export interface ExpiredEvent {
  last_event_id: string;
}
/** The progress of a campaign. */
export interface CampaignEvent {
  campaign_id: string;
  name: string;
  status: CampaignStatus;
  progress: {
    /** `queued` + `sent` + `failed` + `cancelled`, in runs that have begun. */
    deliveries: number;
    queued: number;
    sent: number;
    failed: number;
    cancelled: number;
    /** `null` if all groups are channels, which do not report it. */
    delivered: number | null;
    /** `null` if all groups are channels, which do not report it. */
    read: number | null;
  };
  next_run_at: string | null;
}
/** A deleted campaign. */
export interface CampaignDeletedEvent {
  campaign_id: string;
}
/** A file to upload. The name of a `File` goes along. */
export type FileBody = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;
/** Request body and `data` of each operation, by its path without `/api/v1/`. */
export interface Operations {
  /** Create a user. The first user of an installation becomes its administrator. */
  'user/create_user': { body: CreateUser; data: { user_info: UserInfo } };
  /** Sign in and get a token. The token is valid for 24 hours. `is_first_login` is `true` in the first successful answer. If the user has a second factor, a correct password without `code` is a 401 whose `details` name `code`: repeat the request with the code. */
  'user/authorize_user': {
    body: AuthorizeUser;
    data: {
      /** A JWT for `Authorization: Bearer <token>`. */
      token: string;
      user_info: UserInfo;
    };
  };
  /** Get your profile */
  'user/get_profile': { body: Nothing; data: OwnProfile };
  /** Update your profile. `whatsapp_number` can be changed until a phone has been linked for the first time. Writing the same number in another way is always allowed. */
  'user/update_profile': { body: UpdateProfile; data: Profile };
  /** Delete your account and all its data. Cannot be undone. Campaigns stop; a turn that is being sent may still complete. Tokens and API keys are revoked, and the user name and e-mail address are available again at once. Groups, campaigns, files and statistics are erased within minutes. An incorrect `password` is a 400 on that field. */
  'user/delete_account': { body: DeleteAccount; data: NoData };
  /** Export your personal data. A ZIP archive, written while you read it. `account.json`: profile, second factors and choices of notices. As CSV, in the format of `export-campaign`: your sign-ins, sessions, networks, notices, browsers and workspaces; your API keys, and the drafts, templates and remarks that you alone have written; of the workspaces that you own, accounts and campaigns. Drafts, templates and campaigns have their translations as JSON. */
  'user/export_account': { body: Nothing; data: Blob };
  /** Resend the verification mail. The link verifies your e-mail address. It is first sent at sign-up and is valid for 3 days. Limited to 3 mails an hour. */
  'user/send_verification': { body: Nothing; data: NoData };
  /** Verify an e-mail address */
  'user/verify_email': { body: LinkCode; data: NoData };
  /** Accept an invitation and create a user. The code is that of an invitation of an administrator, or to a workspace. By one to a workspace the user becomes its member at once, gets no workspace of their own, and may sign up whatever `SIGNUP` says. */
  'user/accept_invite': { body: AcceptInvite; data: { user_info: UserInfo } };
  /** Change your password. Revokes all tokens except this request's. API keys are revoked unless `keep_api_keys` is `true`. An incorrect `current_password` is a 400 on that field. */
  'user/change_password': { body: ChangePassword; data: NoData };
  /** Request a password reset mail. The link is valid for 30 minutes and works once. Limited to 3 mails an hour for a user name or e-mail address, and to 60 requests an hour for a client address. */
  'user/request_password_reset': { body: RequestPasswordReset; data: NoData };
  /** Reset a password. Takes the code of the mailed link. Revokes all tokens, and all API keys unless `keep_api_keys` is `true`. Does not sign in. */
  'user/reset_password': { body: ResetPassword; data: NoData };
  /** Revoke all your tokens. Includes this request's token. Takes effect on every process within a second. API keys are revoked, too, unless `keep_api_keys` is `true`. */
  'user/revoke_tokens': { body: RevokeTokens; data: NoData };
  /** List your sessions. The most recently used come first, 200 at most. API keys are not listed. */
  'user/list_sessions': {
    body: Nothing;
    data: {
      sessions: Array<{
        session_id: string;
        /** Whether it is this request's session. */
        is_current: boolean;
        /** The `User-Agent` header of the sign-in. */
        agent: string;
        /** The client address of the sign-in. */
        address: string;
        created_at: string;
        /** ISO 8601, in UTC. Accurate to 5 minutes. */
        last_used_at: string;
        expires_at: string;
      }>;
    };
  };
  /** End a session. Signs out one session, which may be the current one. Takes effect on every process within a second. To end all sessions, use `revoke_tokens`. */
  'user/end_session': { body: { session_id: string }; data: NoData };
  /** Create an API key. An API key works in place of a token, for the operations of its scopes, until it expires or is revoked. */
  'user/create_api_key': {
    body: CreateApiKey;
    data: {
      api_key_id: number;
      /** For `Authorization: Bearer <key>`. Shown only once; the service stores its hash. */
      key: string;
    };
  };
  /** List your API keys */
  'user/list_api_keys': {
    body: Nothing;
    data: {
      api_keys: Array<{
        api_key_id: number;
        name: string;
        scopes: Array<ApiKeyScope>;
        /** The key acts with this role, or with the present one of its maker if that is lower. */
        role: Role;
        /** Whether it is a test key. */
        test: boolean;
        /** The first characters of the key. */
        prefix: string;
        created_at: string;
        /** `null`: it does not expire. */
        expires_at: string | null;
        /** Accurate to the minute. `null`: never used. */
        last_used_at: string | null;
      }>;
    };
  };
  /** Revoke an API key. Takes effect on every process within a second. */
  'user/revoke_api_key': { body: { api_key_id: number }; data: NoData };
  /** List your workspaces. The default workspace comes first: the one that you own, the longest owned first, else the one that you joined first. */
  'workspace/list-workspaces': {
    body: Nothing;
    data: {
      workspaces: Array<{
        /** For the request header `x-workspace`. */
        workspace_id: number;
        /** The owner's user name while the workspace has no name. */
        name: string;
        role: Role;
        /** Whether it is meant by a request without `x-workspace`. */
        is_default: boolean;
        members: number;
        /** After how many minutes in which an account cannot send its stand-ins send for it. `null`: a notice asks the owner. */
        failover_minutes: number | null;
        /** Whether posts that have not been sent return to the account by themselves, once it can send again. */
        fails_back: boolean;
      }>;
    };
  };
  /** Create a workspace. You own it, with an account on the messenger of new users. Your first own workspace becomes your default one. */
  'workspace/create-workspace': { body: CreateWorkspace; data: { workspace_id: number } };
  /** Remember the workspace as the one opened last. The dashboard opens it on your other devices. Joining a workspace opens it, too. It changes nothing for requests without `x-workspace`: they mean the default workspace. */
  'workspace/open-workspace': { body: Nothing; data: NoData };
  /** Rename the workspace */
  'workspace/rename-workspace': { body: RenameWorkspace; data: NoData };
  /** Change the settings of the workspace. Fields that are omitted keep their values. An empty body changes nothing and returns the settings. */
  'workspace/update-workspace': {
    body: UpdateWorkspace;
    data: {
      /** After how many minutes in which an account cannot send its stand-ins send for it. `null`: a notice asks the owner. */
      failover_minutes: number | null;
      /** Whether posts that have not been sent return to the account by themselves, once it can send again. */
      fails_back: boolean;
    };
  };
  /** List the members of the workspace. The owner first, then as they joined. */
  'workspace/list-members': {
    body: Nothing;
    data: {
      members: Array<{
        user_id: number;
        user_name: string;
        first_name: string;
        last_name: string;
        /** Present for the owner of the workspace only. */
        email?: string | undefined;
        role: Role;
        joined_at: string;
      }>;
    };
  };
  /** Invite a person to the workspace. The invitation works once, within 7 days, with this role, and while you are a member. With `email` it goes by mail, and replaces an earlier one to the same address. Without, or where no mails are sent, the answer has a code for the link `/join#CODE`. Limited to 20 an hour and 100 pending. */
  'workspace/invite-member': {
    body: InviteMember;
    data: {
      invitation_id: number;
      expires_at: string;
      /** For `accept-invitation` and `accept_invite`. Shown only once; absent if the invitation goes by mail. */
      code?: string | undefined;
    };
  };
  /** List the pending invitations of the workspace. Newest first. */
  'workspace/list-invitations': {
    body: Nothing;
    data: {
      invitations: Array<{
        invitation_id: number;
        role: GivenRole;
        /** `null`: a link for anybody. */
        email: string | null;
        /** A user name. */
        invited_by: string;
        created_at: string;
        expires_at: string;
      }>;
    };
  };
  /** Revoke a pending invitation */
  'workspace/revoke-invitation': { body: { invitation_id: number }; data: NoData };
  /** Show what an invitation is to. For anyone who has the code. A code that is unknown, used, revoked or expired is one and the same 400 on `code`. */
  'workspace/get-invitation': {
    body: GetInvitation;
    data: {
      workspace_name: string;
      role: GivenRole;
      /** First and last name. */
      invited_by: string;
      /** `null`: a link for anybody. */
      email: string | null;
      expires_at: string;
    };
  };
  /** Join a workspace. Makes you a member of the workspace that the code invites to. A person without a user calls `accept_invite`. Limited to 60 an hour. */
  'workspace/accept-invitation': {
    body: AcceptInvitation;
    data: { workspace_id: number; name: string; role: GivenRole };
  };
  /** Change the role of a member. Takes effect on every process within a second. */
  'workspace/set-member-role': { body: SetMemberRole; data: NoData };
  /** Remove a member. Takes effect on every process within a second, and revokes the API keys of the member for this workspace. What they made stays, but for their links to reports. */
  'workspace/remove-member': {
    body: {
      /** The id of a member. */
      user_id: number;
      /** Keeps the links to reports that they have made: they hold until they expire or are revoked. */
      keep_report_links?: boolean | null | undefined;
    };
    data: NoData;
  };
  /** Leave the workspace. For all members but the owner. Revokes your links to its reports. If it was your only workspace, you get a new one. */
  'workspace/leave-workspace': { body: Nothing; data: NoData };
  /** Make another member the owner. You become a manager. A linked account keeps its number. Quiet hours and caps count in the time zone of the new owner. */
  'workspace/hand-over-workspace': { body: OneMember; data: NoData };
  /** List the audit log of your workspace. Newest first: who changed what in the workspace, and sign-ins and changes of the user whose default workspace it is. A filtered page may have fewer than `limit` entries, and still a next one. */
  'user/list_audit_log': {
    body: {
      /** Only what this user did. */
      user_id?: number | null | undefined;
      /** Only entries about this. */
      kind?:
        | 'campaigns'
        | 'drafts'
        | 'templates'
        | 'files'
        | 'groups'
        | 'account'
        | 'members'
        | 'keys'
        | 'webhooks'
        | 'reports'
        | 'sign_ins'
        | 'installation'
        | null
        | undefined;
      /** Maximum number of items on a page, 50 unless given. */
      limit?: number | null | undefined;
      cursor?: Cursor | undefined;
    };
    data: { entries: Array<AuditEntry>; next_cursor: NextCursor };
  };
  /** Export the audit log of your workspace as CSV. All entries of `list_audit_log`, newest first, in the format of `export-campaign`. */
  'user/export_audit_log': {
    body: {
      /** Only what this user did. */
      user_id?: number | null | undefined;
      /** Only entries about this. */
      kind?:
        | 'campaigns'
        | 'drafts'
        | 'templates'
        | 'files'
        | 'groups'
        | 'account'
        | 'members'
        | 'keys'
        | 'webhooks'
        | 'reports'
        | 'sign_ins'
        | 'installation'
        | null
        | undefined;
      format: CsvFormat;
    };
    data: string;
  };
  /** List your sign-ins and the changes of your account. Newest first: sign-ins, failed ones too, and changes of password, tokens, second factors and profile, in all workspaces. Entries are kept for a year. */
  'user/list_security_log': {
    body: {
      /** Maximum number of items on a page, 50 unless given. */
      limit?: number | null | undefined;
      cursor?: Cursor | undefined;
    };
    data: { entries: Array<AuditEntry>; next_cursor: NextCursor };
  };
  /** List your second factors */
  'user/list_factors': {
    body: Nothing;
    data: {
      factors: Array<{
        factor_id: number;
        kind: 'totp' | 'passkey';
        /** The label of a passkey. */
        name: string;
        created_at: string;
        last_used_at: string | null;
      }>;
      recovery_codes_left: number;
    };
  };
  /** Start adding an authenticator app (TOTP). The app becomes a second factor when `user/confirm_totp` accepts its first code. */
  'user/add_totp': {
    body: Nothing;
    data: {
      /** The secret in base32, to be typed into an authenticator app. */
      secret: string;
      /** The secret as an `otpauth://totp/…` URI, for a QR code. */
      uri: string;
    };
  };
  /** Confirm an authenticator app with its first code. From then on `user/authorize_user` requires `code`. An incorrect code is a 400 on that field. */
  'user/confirm_totp': {
    body: {
      /** A six-digit code of the authenticator app, or a recovery code. Each works once. */
      code: string;
    };
    data: {
      /** Ten codes, each of which replaces a second factor once. Shown only once. Empty if earlier codes are left. */
      recovery_codes: Array<string>;
    };
  };
  /** Remove a second factor. With the last factor the recovery codes are deleted, and sign-in requires the password alone. */
  'user/remove_factor': { body: { factor_id: number }; data: NoData };
  /** Replace your recovery codes. Returns ten new codes. Earlier codes stop working. */
  'user/renew_recovery_codes': {
    body: Nothing;
    data: {
      /** Ten codes, each of which replaces a second factor once. Shown only once. Empty if earlier codes are left. */
      recovery_codes: Array<string>;
    };
  };
  /** Re-authenticate. Some operations require a token whose bearer has authenticated within the last 10 minutes: by signing in, or by this operation. */
  'user/confirm_identity': {
    body: ConfirmIdentity;
    data: {
      /** A token with a recent authentication. It expires when the previous one does. */
      token: string;
    };
  };
  /** Invite a user. For administrators, unless sign-up is closed. An invitation works once, within 7 days. A new invitation of the same address replaces it. Limited to 100 an hour. */
  'user/invite': {
    body: EmailAddress;
    data: {
      /** The code for `accept_invite`. Present only if the service sends no mails: pass it on yourself. */
      code?: string | undefined;
    };
  };
  /** List pending invitations */
  'admin/list_invitations': { body: Nothing; data: { invitations: Array<{ email: string; expires_at: string }> } };
  /** Withdraw an invitation */
  'admin/withdraw_invitation': { body: EmailAddress; data: NoData };
  /** List all users. For administrators, newest first. Administrators cannot see users' posts. */
  'admin/list_users': {
    body: {
      /** Words of a name or e-mail address, in any order. */
      search?: string | null | undefined;
      /** Maximum number of items on a page, 50 unless given. */
      limit?: number | null | undefined;
      cursor?: Cursor | undefined;
    };
    data: {
      users: Array<{
        user_id: number;
        user_name: string;
        email: string;
        first_name: string;
        last_name: string;
        is_admin: boolean;
        email_verified: boolean;
        created_at: string;
        /** `null`: none within the last year. */
        last_sign_in_at: string | null;
        /** `null`: the user is enabled. */
        disabled_at: string | null;
      }>;
      next_cursor: NextCursor;
    };
  };
  /** Get a user. Returns the user's `get_profile` data, whether the user is disabled, and how much the workspaces of the user have not sent. */
  'admin/get_user': {
    body: OneUser;
    data: {
      user_info: UserInfo;
      /** The time zone of schedules: the user's own, or else the installation's. */
      time_zone: string;
      /** The language of mails and notices. Absent while it is unknown: then English. */
      language?: 'en' | 'pt-BR' | 'hi' | 'id' | 'de' | 'es' | undefined;
      /** Whether the user is an administrator. */
      is_admin: boolean;
      /** Whether the e-mail address is verified. Present only if the service sends mails. */
      email_verified?: boolean | undefined;
      quotas?: Quotas | undefined;
      disabled_at: string | null;
      unsent: UnsentPosts;
    };
  };
  /** Disable a user. Within a second, the user's tokens, API keys and password are rejected. No more posts of the workspaces that the user owns are sent, by any author, except the turn in hand. No data is deleted. */
  'admin/disable_user': { body: OneUser; data: { unsent: UnsentPosts } };
  /** Enable a disabled user. The campaigns of the user's workspaces continue. */
  'admin/enable_user': { body: OneUser; data: { unsent: UnsentPosts } };
  /** Remove a user's second factors. For a user who has lost them. Deletes the recovery codes, too. The password alone signs in from then on, and the user is notified by mail. */
  'admin/reset_factors': { body: OneUser; data: NoData };
  /** Delete a user and all their data. Has the effect of `delete_account`. An incorrect `password` is a 400 on that field. */
  'admin/delete_user': { body: DeleteUser; data: NoData };
  /** Check the installation. For administrators: the findings of `campanile doctor`, for the machine of the process that answers. They are cached for 5 seconds. */
  'admin/get_installation': {
    body: Nothing;
    data: {
      examined_at: string;
      findings: Array<{
        /** What was checked, such as `database`, `disk` or `backups`. Values may be added. */
        check: string;
        /** `error`: something is broken or data is at risk. `warning`: it works, and needs attention. */
        level: 'ok' | 'warning' | 'error';
        /** The result, in English. */
        message: string;
        /** What to do. `null`: nothing. */
        advice: string | null;
      }>;
    };
  };
  /** List the queued campaigns of a held ledger. For administrators. The first 1,000 campaigns, in the order of acceptance. 409 unless the ledger is held. */
  'admin/list_queued': {
    body: Nothing;
    data: {
      held_since: string;
      /** The time of the backup. */
      served_at: string | null;
      reason: string;
      begun: HeldPart;
      fell_due: HeldPart;
      made_since: HeldPart;
      campaigns: Array<{
        campaign_id: string;
        name: string;
        user_name: string;
        /** With `send`, its posts wait until it is resumed. */
        is_paused: boolean;
        queued: number;
        begun: number;
        due_since: string | null;
        late_posts: number;
        /** As far as known. */
        last_sent_at: string | null;
      }>;
      /** Number of further campaigns. `others` of `release_ledger` applies to them. */
      left_out: number;
    };
  };
  /** Resume a held ledger. For administrators: has the effect of `campanile release`. 409, without any change, while a campaign with queued posts has no choice, and if the ledger is not held. An incorrect `password` is a 400 on that field. */
  'admin/release_ledger': { body: ReleaseLedger; data: NoData };
  /** Set quiet hours, daily caps, a warm-up and the name of an account. All but `mention_all_cap` and `weekly_posts` are off by default. Posts that may not be sent wait, and expire like all posts. A body without a field other than `account_id` changes nothing and returns the current rules. */
  'venom/update-account': {
    body: UpdateAccount;
    data: {
      account_id: number;
      name: string | null;
      external_id: OwnId;
      metadata: OwnTexts;
      quiet_hours: { from: string; to: string } | null;
      daily_cap: number | null;
      /** How often per day posts may mention everybody in one group. */
      mention_all_cap: number;
      /** More posts to one group in seven days are warned of. */
      weekly_posts: number | null;
      /** Your own, or else the installation's. `update_profile` changes it. */
      time_zone: string;
      /** Present only during a warm-up. */
      warm_up?:
        | {
            /** The current day, counted from 1. */
            day: number;
            /** Maximum number of deliveries on each day. The smaller of this and `daily_cap` applies. */
            daily_caps: Array<number>;
            /** The first day without this limit. */
            ends_on: string;
            /** The random pause between two posts. */
            gap_seconds: { min: number; max: number };
          }
        | undefined;
      /** Posts of today that left, may have left, or are being sent. `null` without a daily cap and a warm-up. */
      sent_today: number | null;
      /** Until when the rules prevent sending. `null`: none does. */
      rests_until: string | null;
      /** The rule behind `rests_until`; of several the one that lasts longest. */
      rest_reason?: RestReason | undefined;
    };
  };
  /** Link an account to the messaging application. Links the number of the account alone. That of the default account is yours; until the first link `user/update_profile` changes it. Also resumes a stopped account. While `linking`, `venom/account-status` has the current code.

A QR code works for any number, a pairing code for one that was linked here before or that no other user has entered. */
  'venom/connect-account': { body: ConnectAccount; data: LinkState };
  /** Show the passkey of the number that is being linked. Answers `passkey.request_options` of `account-status`. After `assertion_rejected` read them again: they may be new. */
  'venom/submit-passkey': { body: SubmitPasskey; data: LinkState };
  /** Get an account's status */
  'venom/account-status': {
    body: {
      account_id?: AccountId | undefined;
      /** Adds `history` and `number_fixed`. */
      with_history?: boolean | null | undefined;
    };
    data: AccountState;
  };
  /** List the accounts of the workspace. The default account is the first. */
  'venom/list-accounts': {
    body: {
      /** Only the one with this id of yours. */
      external_id?: string | null | undefined;
      /** Only those with each of these texts by key. */
      metadata?: OwnTexts | null | undefined;
      /** Adds `metadata`. */
      with_metadata?: boolean | null | undefined;
    };
    data: { accounts: Array<ListedAccount> };
  };
  /** Add an account to the workspace. Up to ten in all, or as many as the operator allows. Pass its `account_id` to `venom/connect-account` to link it, and to `venom/sync-groups` to read its groups. On the sandbox it is connected at once, and a member of the same groups as the default account. */
  'venom/add-account': { body: AddAccount; data: ListedAccount };
  /** Make an account the default one. Requests without `account_id` are about the default account, and it sends where no rule says otherwise. Runs that have begun keep their senders. The former default account keeps its number as its own. */
  'venom/set-default-account': { body: SetDefaultAccount; data: NoData };
  /** Remove an account from the workspace. Not the default account, which another account replaces first (`venom/set-default-account`), not one that is linked or being linked, and not one with posts to send, change or pin. Groups that no other account sees are removed. */
  'venom/remove-account': { body: RemoveAccount; data: NoData };
  /** Unlink an account from the messaging application. Also removes the linked device on the phone. If that is not possible now, `venom/account-status` says what to do on the phone. Queued posts wait until the account is linked again. */
  'venom/disconnect-account': {
    body: { account_id?: AccountId | undefined };
    data: { account_id: number; status: AccountStatus };
  };
  /** Create a channel */
  'venom/create-channel': {
    body: CreateChannel;
    data: {
      resp: {
        title: string;
        nid: Nid;
        inviteLink: string;
        /** Unix time in seconds. */
        createdAtTs: number;
      };
      group_metadata_id: GroupId;
    };
  };
  /** Create a community. A campaign sent to a community goes to its announcement group. */
  'venom/create-community': { body: CreateCommunity; data: { group_name: string; group_metadata_id: GroupId } };
  /** Create a group */
  'venom/create-group': {
    body: CreateGroup;
    data: {
      group_name: string;
      group_metadata_id: GroupId;
      /** With `with_not_added`: who could not be added. Send them the `invite_link`. */
      not_added?:
        | Array<{ phone_number: string; reason: 'privacy' | 'not_on_whatsapp' | 'left_recently' | 'other' }>
        | undefined;
      /** With `with_not_added`. */
      invite_link?: string | null | undefined;
    };
  };
  /** List your groups, communities and channels. First reads the groups of connected accounts whose groups were never read. */
  'venom/list-groups': {
    body: {
      /** Only this kind. */
      kind?: GroupKind | null | undefined;
      /** Words of the name in any order, or the whole `nid._serialized`. */
      search?: string | null | undefined;
      /** Only groups of this saved list. */
      group_list_id?: number | null | undefined;
      /** Adds `activity` to each group: the results of the posts of the last 90 days. */
      with_activity?: boolean | null | undefined;
      /** Only groups with at least this many participants. */
      min_participants?: number | null | undefined;
      /** Only groups with at most this many participants. */
      max_participants?: number | null | undefined;
      /** Only groups without a post in this number of days. */
      silent_days?: number | null | undefined;
      /** Only groups with a post in this number of days. */
      active_days?: number | null | undefined;
      /** `true`: only groups with a failed post in the last 90 days. */
      has_failed?: boolean | null | undefined;
      /** Default: by id. Groups without a `read_rate` come last in either order. */
      sort_by?: 'name' | 'kind' | 'participants' | 'last_posted_at' | 'read_rate' | 'failed' | null | undefined;
      /** Reverses the order of `sort_by`. */
      descending?: boolean | null | undefined;
      /** Adds `accounts` to each group: which of your accounts are members, and which one sends. */
      with_accounts?: boolean | null | undefined;
      /** Only groups with each of these values, by the names of fields; `""`: without a value. Case, accents and the amount of space do not matter. */
      fields?: Record<string, string> | null | undefined;
      rule?: GroupRule | null | undefined;
      /** Adds `fields` to each group: its values. */
      with_fields?: boolean | null | undefined;
      /** Only the one with this id of yours. */
      external_id?: string | null | undefined;
      /** Only those with each of these texts by key. */
      metadata?: OwnTexts | null | undefined;
      /** Adds `metadata`. */
      with_metadata?: boolean | null | undefined;
      /** Adds `totals` of all groups found. */
      with_totals?: boolean | null | undefined;
      /** Maximum number of items on a page, 100 unless given. */
      limit?: number | null | undefined;
      cursor?: Cursor | undefined;
    };
    data: {
      groups: Array<{
        group_metadata_id: GroupId;
        group_name: string;
        kind: GroupKind;
        nid: Nid;
        participants: number;
        /** Whether any of your accounts may post there. */
        can_send: boolean;
        invite_link: string | null;
        external_id: OwnId;
        /** With `with_metadata`. */
        metadata?: OwnTexts | undefined;
        /** With `with_fields`. */
        fields?: FieldsOfGroup | undefined;
        /** With `with_activity`. */
        activity?: GroupActivity | undefined;
        /** With `with_accounts`. */
        accounts?: Array<GroupAccount> | undefined;
      }>;
      /** With `with_totals`: of all groups found, on any page. */
      totals?: { groups: number; participants: number } | undefined;
      next_cursor: NextCursor;
    };
  };
  /** Keep an id and texts of yours with a group. Also with one that no longer exists. What is left out stays. Members see neither. */
  'venom/update-group': { body: UpdateGroup; data: NoData };
  /** Get the link to join a group. An unknown link is asked for once, of an account that is a member and connected, the default account first. */
  'venom/get-invite-link': {
    body: {
      group_metadata_id: GroupId;
      /** Asks for the link again, because the known one was revoked. */
      refresh?: boolean | null | undefined;
    };
    data: { invite_link: string };
  };
  /** Sync your groups with the messaging application. Reads the groups of one account. A group that other accounts are members of stays when this one has left. */
  'venom/sync-groups': {
    body: { account_id?: AccountId | undefined };
    data: {
      account_id: number;
      /** Groups that the account was not a member of before. */
      added: number;
      updated: number;
      /** Groups that the account is no longer a member of. */
      removed: number;
    };
  };
  /** Create or replace a group list. Of these groups, or of those that meet a rule whenever it is used. Limited to 500 lists. A list that is replaced keeps the `external_id` and `metadata` that are left out. */
  'venom/save-group-list': { body: SaveGroupList; data: { group_list_id: number } };
  /** List your group lists. Sorted by name. For the groups of a list, call `list-groups` and filter by `group_list_id`. */
  'venom/list-group-lists': {
    body: {
      /** Only the one with this id of yours. */
      external_id?: string | null | undefined;
      /** Only those with each of these texts by key. */
      metadata?: OwnTexts | null | undefined;
      /** Adds `metadata`. */
      with_metadata?: boolean | null | undefined;
    };
    data: {
      group_lists: Array<{
        group_list_id: number;
        name: string;
        external_id: OwnId;
        /** With `with_metadata`. */
        metadata?: OwnTexts | undefined;
        /** Without groups that no longer exist. */
        group_count: number;
        /** Absent: its groups were picked. */
        rule?: GroupRule | undefined;
      }>;
    };
  };
  /** Delete a group list. The groups themselves stay, and so do those of campaigns that go to the list. Its rule on senders goes with it; the audit log keeps the rule. */
  'venom/delete-group-list': { body: { group_list_id: number }; data: NoData };
  /** List the fields of groups. In the order in which they were added. */
  'venom/list-fields': {
    body: Nothing;
    data: {
      fields: Array<{
        field_id: number;
        name: string;
        kind: 'text' | 'number' | 'date' | 'link' | 'language' | 'tags';
        /** Groups with a value. */
        group_count: number;
      }>;
    };
  };
  /** Add, rename or remove fields of groups. Limited to 40 fields. Fields that are left out stay as they are. A renamed field keeps its values. */
  'venom/set-fields': {
    body: SetFields;
    data: {
      fields: Array<{
        field_id: number;
        name: string;
        kind: 'text' | 'number' | 'date' | 'link' | 'language' | 'tags';
        /** Groups with a value. */
        group_count: number;
      }>;
    };
  };
  /** Set values of groups in their fields. All of them, or none. Values and groups that are left out stay as they are. */
  'venom/set-group-fields': {
    body: SetGroupFields;
    data: {
      /** Groups of which a value changed. */
      groups: number;
      /** Values that changed. */
      values: number;
    };
  };
  /** Find groups by a column of names. Each text is a name, a `group_metadata_id` or a `nid._serialized`. Names are compared as they are written, else without regard to case, accents, space and invisible characters, else without emoji. A text that several groups match is `ambiguous`. */
  'venom/find-groups': {
    body: {
      /** Empty ones do not count, and repeated ones count once. */
      names: Array<string>;
    };
    data: {
      found: Array<{ text: string; group: NamedGroup }>;
      /** Texts that no group matches. */
      unknown: Array<string>;
      ambiguous: Array<{
        text: string;
        groups: Array<NamedGroup>;
        /** Groups that match it, beyond the first 10 too. */
        count: number;
      }>;
    };
  };
  /** Import values of groups from a sheet. Reads the first sheet of an XLSX file, or a CSV file. Its first row names the columns. The first column names the group, as find-groups reads it, or as `group_metadata_id` by its id; the others are fields by their names. An empty cell takes a value away. All rows are imported, or none. */
  'venom/import-group-fields': {
    body: ImportGroupFields;
    data: {
      /** `false`: a dry run. */
      applied: boolean;
      /** Rows of the sheet, without the first and empty ones. */
      rows: number;
      /** Values of groups that had none. */
      added: number;
      changed: number;
      cleared: number;
      unchanged: number;
      /** The first 1,000, as all lists here. */
      changes: Array<{
        /** As the spreadsheet counts: the first is 1. */
        row: number;
        group_metadata_id: GroupId;
        group_name: string;
        field: string;
        before: string | null;
        after: string | null;
      }>;
      refused: Array<{
        /** As the spreadsheet counts: the first is 1. */
        row: number;
        /** The field. `null`: the row as a whole. */
        column: string | null;
        issue: string;
        code: IssueCode;
        params?: IssueParams | undefined;
      }>;
      /** Rows of no group. */
      unknown: Array<{
        /** As the spreadsheet counts: the first is 1. */
        row: number;
        text: string;
      }>;
      ambiguous: Array<{
        /** As the spreadsheet counts: the first is 1. */
        row: number;
        text: string;
        groups: Array<NamedGroup>;
        /** Groups that match, beyond the first 10 too. */
        count: number;
      }>;
      /** Names of columns that no field has. */
      ignored_columns: Array<string>;
    };
  };
  /** Export values of groups as CSV. A row for each group: `group_metadata_id`, `group`, then the fields by their names. import-group-fields takes it. CSV injection: text that a spreadsheet would run as a formula gets an apostrophe, which an import takes away. */
  'venom/export-group-fields': {
    body: {
      /** Only groups of this saved list. */
      group_list_id?: number | null | undefined;
      format: CsvFormat;
    };
    data: string;
  };
  /** Set which accounts send to groups. Sets the rule of each of these groups and of this list; with neither, the rule of the workspace. The narrowest rule with an account that can send to the group wins. Runs that have begun keep their senders. The rule before is kept as history. */
  'venom/set-senders': { body: SetSenders; data: NoData };
  /** Hand over the posts that wait for an account. Gives deliveries of running runs that wait for an account, and that surely have not left, to the next account of each group that may post there. The groups of these accounts are synced before if that was not done since the account failed. A delivery of which an attempt may have left keeps its account, unless `accept_duplicates` is true. */
  'venom/hand-over-deliveries': {
    body: HandOverDeliveries;
    data: {
      account_id: number;
      /** Deliveries that another account sends now. */
      handed_over: number;
      /** Deliveries that stay: an attempt may have left, or no other account may post there. */
      kept: number;
    };
  };
  /** List the rules on which accounts send. The rule of the workspace, those of lists, and those of groups, each by name. The `with_accounts` of `list-groups` says which account sends to a group now. */
  'venom/list-senders': {
    body: {
      /** Only rules that concern this group: its own, those of its lists, and that of the workspace. */
      group_metadata_id?: number | null | undefined;
      /** Adds `history`. */
      with_history?: boolean | null | undefined;
      /** Maximum number of items on a page, 1000 unless given. */
      limit?: number | null | undefined;
      cursor?: Cursor | undefined;
    };
    data: {
      senders: Array<SenderRule>;
      /** With `with_history`: replaced and removed rules, newest first, at most 100. */
      history?: Array<SenderRule> | undefined;
      next_cursor: NextCursor;
    };
  };
  /** Send a campaign now. `data.campaign_id` is the id of the new campaign. (`add-campaign-batch` returns it in a header.)

Accepted means durable: once the service has answered, no crash loses any of the deliveries. */
  'venom/add-campaign': {
    body: AddCampaign;
    data: { campaign_id: string; status: 'running'; group_count: number; scheduled_for: null };
  };
  /** Schedule a campaign. The id of the new campaign is in the header `x-campaign-id` of the answer, since the specification fixes the body. If the answer was lost, `get-campaign` finds the campaign by its `Idempotency-Key`.

One run takes place on each date of the range, at the wall-clock time in the time zone. Past occurrences are skipped. */
  'venom/add-campaign-batch': { body: AddCampaignBatch; data: { data: true } };
  /** Preview the text of a message. Returns the exact text that would be sent. */
  'venom/preview-campaign': {
    body: {
      html?: Html | undefined;
      text?: TypedText | undefined;
      on_unknown_tags?: UnknownTags | undefined;
      translations?: Translations | undefined;
      with_fields?: WithFields | undefined;
      /** The campaign has a file that is not sent along here, so it needs no text. */
      with_file?: boolean | null | undefined;
      /** What this group would get, in its language and with its values. */
      group_metadata_id?: number | null | undefined;
      poll?: Poll | undefined;
      event?: GroupEvent | undefined;
      media?: PostFiles | undefined;
      file_name?: FileName | undefined;
      link_preview?: LinkCard | undefined;
      /** Inclusive. Required without `recurrence`; then at most 366 days in all. */
      end_date?: string | null | undefined;
      recurrence?: string | null | undefined;
      /** An IANA time zone. Default: the user's. */
      time_zone?: string | null | undefined;
      /** Days of the week to send on; 1 is Monday. Default: every day. */
      weekdays?: Array<number> | null | undefined;
      /** Dates without a run. */
      skip_dates?: Array<string> | null | undefined;
      is_schedule?: boolean | null | undefined;
      /** As in `add-campaign-batch`, with the fields of its schedule: `date`, `weekday` and `time` are those of its first run. Default: now. */
      start_date?: string | null | undefined;
      schedule_time?: string | null | undefined;
    };
    data: {
      text: string;
      /** In UTF-16 code units, as WhatsApp counts. */
      length: number;
      /** The maximum length. */
      limit: number;
      warnings: Array<PostWarning>;
      /** Why the group would not get the post. */
      unfit?: PostWarning | undefined;
      /** Of the text for the group. Absent: it gets the main text. */
      language?: string | undefined;
      /** With `group_metadata_id`: what else the group would get. */
      in_group?:
        | {
            file_name: ShownFileName;
            media: PostFilesCopy;
            link_preview: SaidByCard;
            poll: PostedPoll | null;
            event: PostedEvent | null;
          }
        | undefined;
      /** The links of the text, each once and 100 at most. `link_preview` is about one of them. */
      links: Array<string>;
      translations?: Array<{ language: string; text: string; length: number }> | undefined;
    };
  };
  /** Check a campaign without creating it. Takes the body of either operation that adds a campaign, and rejects what they reject. A problem of a group, such as one where only admins may post or that lacks a value, is reported and does not prevent adding the campaign. */
  'venom/check-campaign': {
    body:
      | {
          /** The name of the campaign. Recipients do not see it. */
          name: string;
          /** A description for your own use. */
          desc?: string | null | undefined;
          html?: Html | undefined;
          text?: TypedText | undefined;
          on_unknown_tags?: UnknownTags | undefined;
          translations?: Translations | undefined;
          with_fields?: WithFields | undefined;
          on_missing_value?: OnMissingValue | undefined;
          image?: Base64File | undefined;
          file_name?: FileName | undefined;
          media?: PostFiles | undefined;
          mention_all?: MentionAll | undefined;
          pin_for?: PinPostFor | undefined;
          reply_to?: ReplyTo | undefined;
          follow_up?: FollowUp | undefined;
          account_id?: SendingAccount | undefined;
          group_list_ids?: GroupListIds | undefined;
          from_template?: FromTemplate | undefined;
          poll?: Poll | undefined;
          event?: GroupEvent | undefined;
          link_preview?: LinkCard | undefined;
          fetch_link_preview?: FetchLinkCard | undefined;
          group_metadata_ids?: PostGroupIds | undefined;
          /** Stored and returned only: the ids determine whether posts go to channels. */
          is_channel_campaign?: boolean | null | undefined;
          external_id?: ExternalId | undefined;
          metadata?: Metadata | undefined;
          tags?: Tags | undefined;
          is_schedule?: false | null | undefined;
          /** Stored and returned only, in any form: the campaign is sent now. */
          schedule_time?: string | null | undefined;
          /** A 400 that names `add-campaign-batch`, unless it is empty. */
          recurrence?: string | null | undefined;
          /** The posts leave also in quiet hours, within the daily cap. Other posts of the account wait. */
          ignore_quiet_hours?: boolean | null | undefined;
          /** A test: list-runs, the overview and reports leave it out, and list-campaigns without `with_tests`. */
          is_test?: boolean | null | undefined;
          /** The campaign has a file that is not sent along here, so it needs no text. */
          with_file?: boolean | null | undefined;
          /** The campaign that this would change. Its current content and planned runs are disregarded. */
          campaign_id?: string | null | undefined;
        }
      | {
          /** The name of the campaign. Recipients do not see it. */
          name: string;
          /** A description for your own use. */
          desc?: string | null | undefined;
          html?: Html | undefined;
          text?: TypedText | undefined;
          on_unknown_tags?: UnknownTags | undefined;
          translations?: Translations | undefined;
          with_fields?: WithFields | undefined;
          on_missing_value?: OnMissingValue | undefined;
          image?: Base64File | undefined;
          file_name?: FileName | undefined;
          media?: PostFiles | undefined;
          mention_all?: MentionAll | undefined;
          pin_for?: PinPostFor | undefined;
          reply_to?: ReplyTo | undefined;
          follow_up?: FollowUp | undefined;
          account_id?: SendingAccount | undefined;
          group_list_ids?: GroupListIds | undefined;
          from_template?: FromTemplate | undefined;
          poll?: Poll | undefined;
          event?: GroupEvent | undefined;
          link_preview?: LinkCard | undefined;
          fetch_link_preview?: FetchLinkCard | undefined;
          group_metadata_ids?: PostGroupIds | undefined;
          /** Stored and returned only: the ids determine whether posts go to channels. */
          is_channel_campaign?: boolean | null | undefined;
          external_id?: ExternalId | undefined;
          metadata?: Metadata | undefined;
          tags?: Tags | undefined;
          is_schedule: true;
          start_date: string;
          /** Inclusive. Required without `recurrence`; then at most 366 days in all. */
          end_date?: string | null | undefined;
          /** Wall-clock time in the time zone, HH:MM:SS. */
          schedule_time: string;
          recurrence?: string | null | undefined;
          /** An IANA time zone. Default: the user's. */
          time_zone?: string | null | undefined;
          /** Days of the week to send on; 1 is Monday. Default: every day. */
          weekdays?: Array<number> | null | undefined;
          /** Dates without a run. */
          skip_dates?: Array<string> | null | undefined;
          /** The campaign has a file that is not sent along here, so it needs no text. */
          with_file?: boolean | null | undefined;
          /** The campaign that this would change. Its current content and planned runs are disregarded. */
          campaign_id?: string | null | undefined;
        };
    data: {
      /** The exact text that would be sent. */
      text: string;
      warnings: Array<PostWarning>;
      /** The first file. */
      media: { mime: string; size: number } | null;
      /** The files of `media`. */
      files: Array<ShownFile>;
      link_preview: {
        url: string;
        title: string;
        description: string;
        picture: { mime: string; size: number } | null;
      } | null;
      poll: PostedPoll | null;
      event: PostedEvent | null;
      /** The schedule goes on after these `runs`. Absent: it ends. */
      runs_continue?: true | undefined;
      runs: Array<{
        due_at: string;
        /** The same instant as wall-clock time in the campaign's time zone, with its offset. */
        local: string;
      }>;
      groups: {
        /** Number of groups without a problem. */
        ok: number;
        problems: Array<{ group_metadata_id: number; code: IssueCode; issue: string }>;
      };
      /** With `with_fields`. These groups are among `problems`. */
      fields?:
        | {
            /** Groups that lack a value. */
            without_value: number;
            /** Groups whose values do not fit. */
            unfit: number;
          }
        | undefined;
      /** Estimated time from when the first run is due, or from now, to its last post or pin, with what the accounts have to send already, their pace, quiet hours, caps, warm-ups and rests. */
      expected_seconds: number;
      /** Of a campaign to be sent now: why none of it would leave at once, and until when. With several accounts, the one that can send first. Absent: it leaves at once. */
      waits_for?:
        | {
            account_id: number;
            reason: WaitReason;
            /** `null`: it has no beginning of interest. */
            since: string | null;
            /** When it ends by itself. `null`: that is not known, or a person has to act. */
            until: string | null;
          }
        | undefined;
    };
  };
  /** Get a copy of a campaign to send again. Sends nothing: `data` is a body for `add-campaign`, or for `add-campaign-batch` if `is_schedule` is `true`. The dates of a schedule that is over are moved ahead by whole weeks. */
  'venom/duplicate-campaign': { body: OneCampaign; data: CampaignCopy | ScheduledCampaignCopy };
  /** Update a scheduled campaign. Fields that are omitted or `null` keep their values. Runs that have begun do not change. A new schedule replaces the planned runs; a date that has had its run gets no second one. */
  'venom/update-campaign': { body: UpdateCampaign; data: CampaignState };
  /** List your campaigns */
  'venom/list-campaigns': {
    body: {
      /** Only campaigns with this status. */
      status?: CampaignStatus | null | undefined;
      /** Words of the name and of the present post in all its languages, or parts of them, in any order; case and accents do not matter. */
      search?: string | null | undefined;
      /** Only posts of this kind. */
      post_kind?: 'text' | 'file' | 'files' | 'poll' | 'event' | null | undefined;
      /** Only the one with this id of yours. */
      external_id?: string | null | undefined;
      /** Only those with each of these texts by key. */
      metadata?: OwnTexts | null | undefined;
      /** Adds `metadata`. */
      with_metadata?: boolean | null | undefined;
      tag?: TagFilter | undefined;
      /** Only campaigns created on or after this day, in your time zone. */
      created_from?: string | null | undefined;
      /** Only campaigns created on or before this day. */
      created_to?: string | null | undefined;
      /** Default: newest first. Campaigns without a next run come last in either order. */
      sort_by?: 'created_at' | 'name' | 'next_run_at' | null | undefined;
      /** Reverses the order of `sort_by`. */
      descending?: boolean | null | undefined;
      /** Adds `totals` of all campaigns found. */
      with_totals?: boolean | null | undefined;
      /** Maximum number of items on a page, 50 unless given. */
      limit?: number | null | undefined;
      /** Adds `recalled`, and `delivered`, `read` and `read_rate` to `progress`. */
      with_reads?: boolean | null | undefined;
      /** Adds `tags`. */
      with_tags?: boolean | null | undefined;
      /** Also campaigns that were added with `is_test`. */
      with_tests?: boolean | null | undefined;
      /** Adds `group_count`, `media_mime`, `post_kind` and `excerpt`. */
      with_post?: boolean | null | undefined;
      cursor?: Cursor | undefined;
    };
    data: {
      campaigns: Array<{
        campaign_id: string;
        name: string;
        external_id: OwnId;
        /** With `with_metadata`. */
        metadata?: OwnTexts | undefined;
        tags: Array<string>;
        status: CampaignStatus;
        is_schedule: boolean;
        is_follow_up?: IsFollowUp | undefined;
        created_at: string;
        next_run_at: string | null;
        /** With `with_reads`: whether all its sent posts were requested to be deleted for everyone. */
        recalled?: boolean | undefined;
        /** With `with_post`. */
        group_count?: number | undefined;
        /** With `with_post`. `null`: no file. */
        media_mime?: string | null | undefined;
        /** With `with_post`. `files`: several. */
        post_kind?: 'text' | 'file' | 'files' | 'poll' | 'event' | undefined;
        /** With `with_post`: the first 100 characters of the text, or what it asks. `null`: it has no text. */
        excerpt?: string | null | undefined;
        progress: {
          deliveries: number;
          sent: number;
          failed: number;
          /** With `with_reads`. Without channels, which do not report it. */
          delivered?: number | undefined;
          /** With `with_reads`. */
          read?: number | undefined;
          /** With `with_reads`: the rate of the campaign's analytics. `null` without recipients. */
          read_rate?: number | null | undefined;
        };
      }>;
      /** With `with_totals`: of all campaigns found, on any page. */
      totals?: { campaigns: number } | undefined;
      /** With `with_tags`: those in use, the first 500. */
      tags?: Array<string> | undefined;
      next_cursor: NextCursor;
    };
  };
  /** Get a campaign with its content, groups and runs. By its id, by yours, or by the `Idempotency-Key` that it was added with. */
  'venom/get-campaign': {
    body: {
      campaign_id?: string | null | undefined;
      /** Instead of `campaign_id`: your own id of it. */
      external_id?: ExternalId | undefined;
      /** Instead of `campaign_id`: the `Idempotency-Key` of the request that added the campaign, within 24 hours after it. */
      idempotency_key?: string | null | undefined;
      /** Adds `in_group`. */
      group_metadata_id?: number | null | undefined;
      /** With `group_metadata_id`. Default: the last run that has begun. */
      run_id?: number | null | undefined;
    };
    data: {
      campaign_id: string;
      name: string;
      desc: string;
      external_id: OwnId;
      metadata: OwnTexts;
      tags: Array<string>;
      status: CampaignStatus;
      /** Why the service paused it, and what to do. Absent if a user paused it. */
      pause_reason?: string | undefined;
      is_channel_campaign: boolean;
      is_schedule: boolean;
      start_date: string | null;
      end_date: string | null;
      schedule_time: string | null;
      /** RFC 5545. `null`: none, so that it runs every day. */
      recurrence: string | null;
      time_zone: string | null;
      created_at: string;
      finished_at: string | null;
      /** When its single posts were rolled up into sums. Absent before. The sums stay. */
      folded_at?: string | undefined;
      weekdays: Array<number> | null;
      skip_dates: Array<string>;
      html: string;
      text: string;
      translations?: PostTranslations | undefined;
      with_fields?: true | undefined;
      /** Absent: `reject`. */
      on_missing_value?: 'leave_out' | undefined;
      /** What a post with fields or translations says to the group. */
      in_group?:
        | {
            run_id: number;
            /** `null`: its values did not fit, so it got no post. */
            text: string | null;
            /** Of its text. Absent: the main text. */
            language?: string | undefined;
            file_name: ShownFileName;
            media: PostFilesCopy;
            link_preview: SaidByCard;
            poll: PostedPoll | null;
            event: PostedEvent | null;
            /** As the run began. */
            values: Record<string, string | null>;
          }
        | undefined;
      media: StoredFile | null;
      file_name: ShownFileName;
      mention_all: boolean;
      pin_for: PinFor | null;
      reply_to: RepliedCampaign;
      follow_up: FollowedCampaign;
      account_id: ChosenAccount;
      group_list_ids?: ListsOfPost | undefined;
      from_template: string | null;
      link_preview: LinkCardShown;
      poll: PostedPoll | null;
      event: PostedEvent | null;
      /** All files, in their order. `media` is the first. */
      files: Array<ShownFile>;
      group_metadata_ids: Array<number>;
      /** With `group_list_ids`. */
      own_group_metadata_ids?: Array<number> | undefined;
      /** By due time: the last 2,500. */
      runs: Array<Run>;
      /** How many runs are before these: `list-runs` has them. Absent: none. */
      earlier_runs?: number | undefined;
      /** Why posts that are due do not leave. With `warm_up` and without `until` they leave slowly. Absent: they leave. */
      waits_for?:
        | {
            /** The account that they wait for. Of several it is the one that waits longest. A run that has not begun waits until any account can send. */
            account_id: number;
            reason: WaitReason;
            /** `null`: it has no beginning of interest. */
            since: string | null;
            /** When it ends by itself. `null`: that is not known, or a person has to act. */
            until: string | null;
          }
        | undefined;
    };
  };
  /** List the runs of a date range. Runs of all campaigns, in the order of acceptance. A campaign sent at once has one run, due when it was accepted. */
  'venom/list-runs': {
    body: {
      /** In your time zone. */
      start_date: string;
      /** Inclusive. At most 100 days in all. */
      end_date: string;
      /** Only runs to at least one group of this kind. */
      kind?: GroupKind | null | undefined;
      /** Only runs to at least one group of this saved list. */
      group_list_id?: number | null | undefined;
      /** Only runs to at least one of these groups. */
      group_metadata_ids?: GroupIds | null | undefined;
      /** Adds `group_count`, `queued`, `sent` and `failed`. */
      with_counts?: boolean | null | undefined;
      /** Adds `warnings`. */
      with_warnings?: boolean | null | undefined;
      /** Adds `post` and `group_list_id`. */
      with_post?: boolean | null | undefined;
      /** Maximum number of items on a page, 500 unless given. */
      limit?: number | null | undefined;
      cursor?: Cursor | undefined;
    };
    data: {
      runs: Array<{
        run_id: number;
        campaign_id: string;
        name: string;
        campaign_status: CampaignStatus;
        due_at: string;
        status: RunStatus;
        /** With `with_counts`, like the following fields. */
        group_count?: number | undefined;
        /** 0 until the run begins. */
        queued?: number | undefined;
        sent?: number | undefined;
        failed?: number | undefined;
        /** It was missed or ended with failures, and `skip-run` has left it out. */
        left_out?: true | undefined;
        is_follow_up?: IsFollowUp | undefined;
        /** Of a planned run that brings groups a second post within an hour, or more than `weekly_posts` in seven days. */
        warnings?: Array<PostWarning> | undefined;
        /** The smallest saved list with all its groups, if any; of equal ones the oldest. Lists count as they are now. */
        group_list_id?: number | undefined;
        /** With `with_post`. */
        post?:
          | {
              /** `files`: several. */
              kind: 'text' | 'file' | 'files' | 'poll' | 'event';
              /** When its event begins. `null`: it is no event. */
              event_start_at: string | null;
              mention_all: boolean;
              pin_for: PinFor | null;
              is_reply: boolean;
            }
          | undefined;
      }>;
      next_cursor: NextCursor;
    };
  };
  /** Download a file of a campaign. Returns the bytes with the recognised media type. They never change, so they may be cached. */
  'venom/get-media': {
    body: {
      /** The hash of the file, from `media` in the answers of other operations. */
      sha256: string;
      /** The still of a film instead: a JPEG. */
      still?: boolean | null | undefined;
    };
    data: Blob;
  };
  /** Pause a campaign. After the answer, at most the turn in hand is still sent. */
  'venom/pause-campaign': { body: OneCampaign; data: CampaignState };
  /** Resume a paused campaign. Runs that fell due during the pause begin now, unless that was over 6 hours ago: those are missed. */
  'venom/resume-campaign': { body: OneCampaign; data: CampaignState };
  /** Cancel a campaign. After the answer, at most the turn in hand is still sent. */
  'venom/cancel-campaign': { body: OneCampaign; data: CampaignState };
  /** Retry the failed deliveries of a campaign. Each delivery keeps its text. Those that surely have not left get senders as if the run began now; another account has message ids of its own. A post that may have left by an account that was removed stays failed, unless `accept_duplicates` is true. */
  'venom/retry-campaign': { body: RetryCampaign; data: CampaignState };
  /** Leave a run out. Removes a run that has not begun, and adds its date to the `skip_dates` of the campaign. A run that was missed, or ended with failed posts, stays with its figures, and is `left_out` in `list-runs`. The last run of a campaign cannot be skipped: cancel the campaign instead. */
  'venom/skip-run': {
    body: {
      campaign_id: string;
      /** A run of the campaign that has not begun. */
      run_id: number;
    };
    data: CampaignState;
  };
  /** Move a planned run to another time. The run keeps its place in the schedule: a later change of the schedule keeps it, as long as the schedule has a run on that date, and adds none for it. */
  'venom/move-run': {
    body: {
      campaign_id: string;
      /** A run of the campaign that has not begun. */
      run_id: number;
      /** In the future, and at most 366 days from the time that the schedule gives the run. */
      due_at: string;
    };
    data: { campaign_id: string; run_id: number; due_at: string };
  };
  /** Begin a planned or missed run now. Like `move-run` to this moment. A run that was missed is planned again, as its campaign says now. Not for paused campaigns. Repeating it is a 409 once the run has begun. */
  'venom/send-run-now': {
    body: {
      campaign_id: string;
      /** A run of the campaign that has not begun. */
      run_id: number;
    };
    data: { campaign_id: string; run_id: number; due_at: string };
  };
  /** Recall a campaign or a run. Deletes sent posts for everyone, where the messaging application still allows it, at the account's pace. Deliveries that have not been sent are cancelled; without `run_id`, the whole campaign is. The analytics show the outcome per group: `recalled`, or the reason in `last_error`. */
  'venom/recall-campaign': {
    body: {
      campaign_id: string;
      /** Only this run. Default: the whole campaign. */
      run_id?: number | null | undefined;
    };
    data: {
      campaign_id: string;
      /** Number of groups with sent posts to change. An upper bound beyond 2,000 deliveries. */
      groups: number;
    };
  };
  /** Correct the text of a campaign or a run. Edits sent posts, where the messaging application still allows it. Posts that have not been sent get the new text; without `run_id`, those of later runs do, too. Files and recalled posts stay as they are. A further correction replaces the pending part of the previous one. */
  'venom/correct-campaign': {
    body: {
      campaign_id: string;
      /** Only this run. Default: the whole campaign. */
      run_id?: number | null | undefined;
      html?: Html | undefined;
      text?: TypedText | undefined;
      on_unknown_tags?: UnknownTags | undefined;
      /** As in add-campaign. Required if the posts have some; `[]` is none. */
      translations?: Translations | undefined;
      /** As in add-campaign. Default: as the campaign has it. */
      with_fields?: WithFields | undefined;
      /** As in add-campaign; posts that are left out stay. Default: as the campaign has it. */
      on_missing_value?: OnMissingValue | undefined;
      link_preview?: LinkCard | undefined;
      fetch_link_preview?: FetchLinkCard | undefined;
    };
    data: {
      campaign_id: string;
      /** Number of groups with sent posts to change. An upper bound beyond 2,000 deliveries. */
      groups: number;
    };
  };
  /** Pin the posts of a run. Pins the sent posts of the run in their groups, at the account's pace; posts of it that are sent later are pinned then. A pinned post stays pinned for so long from now on. Channels are skipped. */
  'venom/pin-campaign': {
    body: {
      campaign_id: string;
      /** Default: the latest run that has begun. */
      run_id?: number | null | undefined;
      pin_for: PinFor;
    };
    data: PinRequested;
  };
  /** Unpin the posts of a run. Posts of the run that are sent later are not pinned. */
  'venom/unpin-campaign': {
    body: {
      campaign_id: string;
      /** Default: the latest run that has begun. */
      run_id?: number | null | undefined;
    };
    data: PinRequested;
  };
  /** Delete a campaign. Removes a campaign that is not running from all lists and statistics, including the overview. Members keep the posts that they have received: to delete them, recall the campaign first. */
  'venom/delete-campaign': { body: OneCampaign; data: NoData };
  /** Import a calendar from a sheet. Each row is a scheduled campaign, known again by plan and key. */
  'venom/import-plan': {
    body: ImportPlan;
    data: {
      /** `from_row` of the next request. */
      next_row: number | null;
      counts: Record<string, number>;
      rows: Array<{
        row: number | null;
        key: string;
        state: 'new' | 'changed' | 'unchanged' | 'gone' | 'sent' | 'missed' | 'cancelled' | 'refused';
        campaign_id?: string | undefined;
        name?: string | undefined;
        group_count?: number | undefined;
        due_at: string | null;
        local: string | null;
        changes?: Array<string> | undefined;
        warnings: Array<string>;
        problems: Array<{
          field: string;
          code?: IssueCode | undefined;
          issue: string;
          params?: IssueParams | undefined;
        }>;
      }>;
      warnings: Array<string>;
    };
  };
  /** Create or update a draft. If the draft has changed since `version`, the answer is a 409. Saving the same content again changes nothing. Limited to 100 drafts, each with one file. */
  'venom/save-draft': { body: SaveDraft; data: { draft_id: string; version: number } };
  /** List your drafts. The most recently changed come first. */
  'venom/list-drafts': {
    body: {
      /** Returns only this draft, with its `content`. */
      draft_id?: string | null | undefined;
    };
    data: {
      drafts: Array<{
        draft_id: string;
        name: string;
        /** The first 500 characters of the html. */
        html_start: string;
        group_count: number;
        version: number;
        updated_at: string;
        media: StoredFile | null;
        /** Those who began and changed it, in this order. */
        written_by: Array<MemberName>;
        /** With `draft_id`. */
        content?: DraftContent | undefined;
      }>;
    };
  };
  /** Delete a draft */
  'venom/delete-draft': { body: { draft_id: string }; data: NoData };
  /** Create or update a template. A post that is saved whole, for everybody in the workspace: unfinished, or as `duplicate-campaign` returns it. Authors change those that they have begun, managers all. Locking as in `save-draft`. Limited to 100. */
  'venom/save-template': { body: SaveTemplate; data: { template_id: string; version: number } };
  /** List the templates of your workspace. The most recently changed come first. A post begins with the `content` of one. */
  'venom/list-templates': {
    body: {
      /** Returns only this template, with its `content`. */
      template_id?: string | null | undefined;
    };
    data: {
      templates: Array<{
        template_id: string;
        name: string;
        html_start: string;
        version: number;
        updated_at: string;
        begun_by: MemberName;
        /** Who saved it last. */
        changed_by: MemberName;
        uses: {
          /** Of the newest 100 posts with `from_template`, without tests and deleted ones. */
          campaigns: number;
          last_sent_at: string | null;
          /** Of all their posts, as in `list-campaigns`. */
          read_rate: number | null;
        };
        /** With `template_id`: a body for `save-draft` and operations that add a campaign, without what was removed since, and with dates ahead. */
        content?: TemplateContent | undefined;
        files?: Array<ShownFile> | undefined;
        /** With `template_id`, also those of its lists. */
        groups?: Array<PickedGroup> | undefined;
        /** With `template_id`: without those of its lists only. */
        own_group_metadata_ids?: Array<number> | undefined;
        /** With `template_id`. */
        group_list_ids?: Array<number> | undefined;
      }>;
    };
  };
  /** Delete a template */
  'venom/delete-template': { body: { template_id: string }; data: NoData };
  /** Ask for the approval of a post. Takes the body of either operation that adds a campaign. The post is stored as it would be sent. A changed post with the same `approval_id` is a further version, without approvals. */
  'venom/request-approval': {
    body:
      | {
          /** The name of the campaign. Recipients do not see it. */
          name: string;
          /** A description for your own use. */
          desc?: string | null | undefined;
          html?: Html | undefined;
          text?: TypedText | undefined;
          on_unknown_tags?: UnknownTags | undefined;
          translations?: Translations | undefined;
          with_fields?: WithFields | undefined;
          on_missing_value?: OnMissingValue | undefined;
          image?: Base64File | undefined;
          file_name?: FileName | undefined;
          media?: PostFiles | undefined;
          mention_all?: MentionAll | undefined;
          pin_for?: PinPostFor | undefined;
          reply_to?: ReplyTo | undefined;
          follow_up?: FollowUp | undefined;
          account_id?: SendingAccount | undefined;
          group_list_ids?: GroupListIds | undefined;
          from_template?: FromTemplate | undefined;
          poll?: Poll | undefined;
          event?: GroupEvent | undefined;
          link_preview?: LinkCard | undefined;
          fetch_link_preview?: FetchLinkCard | undefined;
          group_metadata_ids?: PostGroupIds | undefined;
          /** Stored and returned only: the ids determine whether posts go to channels. */
          is_channel_campaign?: boolean | null | undefined;
          external_id?: ExternalId | undefined;
          metadata?: Metadata | undefined;
          tags?: Tags | undefined;
          is_schedule?: false | null | undefined;
          /** Stored and returned only, in any form: the campaign is sent now. */
          schedule_time?: string | null | undefined;
          /** A 400 that names `add-campaign-batch`, unless it is empty. */
          recurrence?: string | null | undefined;
          /** The posts leave also in quiet hours, within the daily cap. Other posts of the account wait. */
          ignore_quiet_hours?: boolean | null | undefined;
          /** A test: list-runs, the overview and reports leave it out, and list-campaigns without `with_tests`. */
          is_test?: boolean | null | undefined;
          /** A random UUID that the client generates, such as the id of a draft. */
          approval_id: string;
          remark?: string | null | undefined;
        }
      | {
          /** The name of the campaign. Recipients do not see it. */
          name: string;
          /** A description for your own use. */
          desc?: string | null | undefined;
          html?: Html | undefined;
          text?: TypedText | undefined;
          on_unknown_tags?: UnknownTags | undefined;
          translations?: Translations | undefined;
          with_fields?: WithFields | undefined;
          on_missing_value?: OnMissingValue | undefined;
          image?: Base64File | undefined;
          file_name?: FileName | undefined;
          media?: PostFiles | undefined;
          mention_all?: MentionAll | undefined;
          pin_for?: PinPostFor | undefined;
          reply_to?: ReplyTo | undefined;
          follow_up?: FollowUp | undefined;
          account_id?: SendingAccount | undefined;
          group_list_ids?: GroupListIds | undefined;
          from_template?: FromTemplate | undefined;
          poll?: Poll | undefined;
          event?: GroupEvent | undefined;
          link_preview?: LinkCard | undefined;
          fetch_link_preview?: FetchLinkCard | undefined;
          group_metadata_ids?: PostGroupIds | undefined;
          /** Stored and returned only: the ids determine whether posts go to channels. */
          is_channel_campaign?: boolean | null | undefined;
          external_id?: ExternalId | undefined;
          metadata?: Metadata | undefined;
          tags?: Tags | undefined;
          is_schedule: true;
          start_date: string;
          /** Inclusive. Required without `recurrence`; then at most 366 days in all. */
          end_date?: string | null | undefined;
          /** Wall-clock time in the time zone, HH:MM:SS. */
          schedule_time: string;
          recurrence?: string | null | undefined;
          /** An IANA time zone. Default: the user's. */
          time_zone?: string | null | undefined;
          /** Days of the week to send on; 1 is Monday. Default: every day. */
          weekdays?: Array<number> | null | undefined;
          /** Dates without a run. */
          skip_dates?: Array<string> | null | undefined;
          /** A random UUID that the client generates, such as the id of a draft. */
          approval_id: string;
          remark?: string | null | undefined;
        };
    data: Approval;
  };
  /** List the posts that wait for an approval. Open requests first, the most recently changed before the others; then closed ones. */
  'venom/list-approvals': {
    body: {
      /** Adds the newest closed requests. */
      with_closed?: boolean | null | undefined;
    };
    data: { rules: ApprovalRules; approvals: Array<Approval> };
  };
  /** Read a post that waits for an approval. `check-campaign` takes `post`, and says what would stand in its way. */
  'venom/get-approval': {
    body: OneApproval;
    data: {
      approval_id: string;
      state: ApprovalState;
      /** Its first time passed before it was approved. */
      reason: 'time_passed' | null;
      /** Rises with each change. */
      version: number;
      /** Of content, groups and plan. */
      sha256: string;
      name: string;
      /** 500 characters. */
      text_start: string;
      group_count: number;
      is_schedule: boolean;
      /** `null`: it is sent once it is approved. */
      first_due_at: string | null;
      asked_by: MemberName;
      /** Who asked for a version of it, or wrote its draft before. They do not decide while another member can. */
      written_by: Array<MemberName>;
      asked_at: string;
      updated_at: string;
      /** Members who have approved this version. */
      approvals: number;
      approvals_needed: number;
      /** Who has to act next: those who may decide and have not approved, or the person who asked. */
      waits_for: Array<MemberName>;
      /** Whether you may. */
      may_decide: boolean;
      campaign_id: string | null;
      /** The exact text that is sent. */
      text: string;
      /** A body for `request-approval`. */
      post: CampaignCopy | ScheduledCampaignCopy;
      /** The files of `media`. */
      files: Array<ShownFile>;
      groups: Array<PickedGroup>;
      /** To the version that was decided on last. */
      difference: {
        fields: Array<{
          /** As in a request; `text` is the text that groups get. */
          field: string;
          pieces: Array<{ change: 'same' | 'removed' | 'added'; text: string }>;
        }>;
        groups_added: Array<number>;
        groups_removed: Array<PickedGroup>;
      } | null;
      /** The review post of this version. */
      review_campaign_id: string | null;
      thread: Array<{
        kind: 'asked' | 'approved' | 'changes_requested' | 'rejected' | 'withdrawn' | 'remark';
        by: MemberName;
        version: number;
        remark: string;
        at: string;
        /** It was an answer in the review group. */
        on_phone: boolean;
      }>;
    };
  };
  /** Approve a post, send it back, or reject it. The last approval that is needed accepts the post as a campaign, once. If that fails, the answer says why, and nothing is recorded. Nobody decides on a post that they wrote a part of, unless nobody else could. */
  'venom/decide-approval': { body: DecideApproval; data: Approval };
  /** Add a remark to a request for approval. Limited to 200 entries a request. */
  'venom/remark-approval': { body: { approval_id: string; remark: string }; data: Approval };
  /** Withdraw a request for approval. For the person who asked, and for managers and the owner. */
  'venom/withdraw-approval': { body: OneApproval; data: Approval };
  /** Change which posts need an approval. Fields that are omitted keep their values. Campaigns that were accepted before are sent as they are. */
  'workspace/set-approval-rules': { body: SetApprovalRules; data: ApprovalRules };
  /** Upload a file. The body is the file itself. Its leading bytes determine the type, as in `add-campaign`; TXT, CSV and VCF files need their type as `content-type`. Limits: 64 MiB for films and documents, 16 MiB for pictures and sounds. */
  'media/upload': { body: FileBody; data: LibraryFile };
  /** Import a file from a URL. Downloads the file, with the limits of `upload`. The address must be public. The download may take 45 s. */
  'media/import': {
    body: {
      url: string;
      /** Default: the last part of the URL. */
      file_name?: string | null | undefined;
    };
    data: LibraryFile;
  };
  /** List the files of your workspace. Newest first, with the 10 newest campaigns, and the drafts and templates, that have each. */
  'media/list-media': {
    body: {
      /** Words of the name or parts of them, in any order; case and accents do not matter. */
      search?: string | null | undefined;
      /** Maximum number of items on a page, 50 unless given. */
      limit?: number | null | undefined;
      cursor?: Cursor | undefined;
    };
    data: {
      files: Array<{
        media_id: number;
        /** How members see it. */
        kind: 'image' | 'video' | 'audio' | 'document';
        mime: string;
        /** In bytes. */
        size: number;
        /** SHA-256 hash; `get-media` takes it. */
        sha256: string;
        /** As it was uploaded. `null`: it came in base64. */
        name: string | null;
        /** Of a film, in pixels. */
        width: number | null;
        height: number | null;
        /** The length of a film. */
        seconds: number | null;
        /** Of a film: whether it has a picture (`set-still`). */
        has_still: boolean;
        /** When it was last uploaded or put into a campaign. */
        used_at: string;
        campaigns: Array<{ campaign_id: string; name: string; status: CampaignStatus }>;
        drafts: Array<{ draft_id: string; name: string }>;
        templates: Array<{ template_id: string; name: string }>;
      }>;
      next_cursor: NextCursor;
    };
  };
  /** Give a film a still. The picture that members see before they play the film. It is shrunk to a JPEG within 320 pixels. Posts that leave later have it. Without `still` the film has none. */
  'media/set-still': {
    body: {
      media_id: number;
      /** A picture in base64, 100 KiB at most. */
      still?: string | null | undefined;
    };
    data: LibraryFile;
  };
  /** Delete a file. A file that a draft or template has, a post that waits for an approval, or a campaign that has not ended, is a 409. Posts that were sent keep it. */
  'media/delete-media': { body: { media_id: number }; data: NoData };
  /** Fetch the preview of a link. Reads the page of the link, and returns its title, description and picture to send as `link_preview` of a campaign. Takes 3 seconds at most. Limited to 30 fetches a minute and workspace. */
  'venom/link-preview': {
    body: {
      /** A link exactly as the text of the message has it. */
      url: string;
    };
    data: {
      link_preview: LinkCardCopy;
      /** Why there is none: the operator has switched fetches off, the site did not answer in time or has no public address, or its page has no title. */
      reason: 'disabled' | 'no_answer' | 'no_card' | null;
    };
  };
  /** Get the analytics of a campaign. Deliveries, receipts, reactions and replies: in total, per group, per run and over time. */
  'analytics/get-campaign-group-analytics-master': {
    body: {
      campaign_id: string;
      /** Adds `expected_finish_at`: when the last post of the running runs is expected to be sent. */
      with_estimate?: boolean | null | undefined;
      /** Adds `accounts`. Single posts are counted: of a campaign that ended so long ago that only its sums are kept there are none. */
      with_accounts?: boolean | null | undefined;
    };
    data: GroupAnalytics;
  };
  /** Get the analytics of all campaigns by day. Days are in your time zone. A run counts, with all its results, on the day it began. So late receipts are included, and the totals are the sums of the days, except for `groups`. */
  'analytics/get-overview': {
    body: {
      /** Number of days, including today. */
      days?: number | null | undefined;
      /** Adds `previous`: the totals of the same number of days before. */
      with_previous?: boolean | null | undefined;
    };
    data: Overview;
  };
  /** Get the analytics of a group. Its posts, planned runs and number of participants over time. */
  'analytics/get-group': {
    body: {
      group_metadata_id: number;
      /** Only posts of this number of days. */
      days?: number | null | undefined;
    };
    data: GroupReport;
  };
  /** Export the analytics of a campaign as CSV. One row per group, as `groups` of the analytics, with `error_text`, in the language of the user. Then the votes of a poll or event: `voters`, `unreadable_votes`, and `votes: …` for each option, with the question if the runs ask different ones. `null`, and what the campaign does not have, is an empty cell. UTF-8 with a byte order mark, for spreadsheets. CSV injection: text that a spreadsheet would run gets an apostrophe. */
  'analytics/export-campaign': { body: { campaign_id: string; format: CsvFormat }; data: string };
  /** Create a link to the plan for calendar programs. Anyone who has the link can subscribe to the runs with their names, times, states and numbers of groups, and see nothing else but the names of workspace and list, until it is revoked. Limited to 20 links. */
  'venom/share-calendar': {
    body: {
      /** Only runs to at least one group of this saved list, as it is then. */
      group_list_id?: number | null | undefined;
    };
    data: {
      calendar_link_id: number;
      /** Shown once: only its hash is stored. */
      token: string;
      /** The link's path at the address of the service. */
      path: string;
    };
  };
  /** List your links to the plan. Newest first. */
  'venom/list-calendar-links': {
    body: Nothing;
    data: {
      links: Array<{
        calendar_link_id: number;
        /** `null`: all runs. */
        group_list: { group_list_id: number; name: string } | null;
        created_at: string;
        created_by: MemberName;
      }>;
    };
  };
  /** Revoke a link to the plan */
  'venom/revoke-calendar-link': { body: { calendar_link_id: number }; data: NoData };
  /** Get the report on a span of days. Posts, reach, read rate, best times, groups, silent groups and failures. A run counts, with all its results, on the day it began. */
  'analytics/get-report': {
    body: {
      /** In your time zone. */
      start_date: string;
      /** Inclusive. At most 366 days in all. */
      end_date: string;
      /** Only this campaign. */
      campaign_id?: string | null | undefined;
      /** Only the groups of this saved list. */
      group_list_id?: number | null | undefined;
      tag?: TagFilter | undefined;
      /** Maximum number of rows in each list. */
      limit?: number | null | undefined;
      /** Adds `runs`. */
      with_runs?: boolean | null | undefined;
    };
    data: Report;
  };
  /** Export all groups of a report as CSV. One row per group, as `groups` of the report, in the format of `export-campaign`. For JSON, set a high `limit` of `get-report`. */
  'analytics/export-report': {
    body: {
      /** In your time zone. */
      start_date: string;
      /** Inclusive. At most 366 days in all. */
      end_date: string;
      /** Only this campaign. */
      campaign_id?: string | null | undefined;
      /** Only the groups of this saved list. */
      group_list_id?: number | null | undefined;
      tag?: TagFilter | undefined;
      format: CsvFormat;
    };
    data: string;
  };
  /** Create a link to a report. Anyone who has the link can read this report, and nothing else, until it expires or is revoked. Days, campaign and groups are fixed; the figures are those of the moment. */
  'analytics/share-report': {
    body: {
      /** In your time zone. */
      start_date: string;
      /** Inclusive. At most 366 days in all. */
      end_date: string;
      /** Only this campaign. */
      campaign_id?: string | null | undefined;
      /** Only the groups of this saved list. */
      group_list_id?: number | null | undefined;
      tag?: TagFilter | undefined;
      /** Days until the link expires. */
      expires_in_days?: number | null | undefined;
    };
    data: {
      report_link_id: number;
      /** Shown once: only its hash is stored. */
      token: string;
      /** The link's path at the address of the dashboard. */
      path: string;
      expires_at: string;
    };
  };
  /** List your links to reports. Without expired and revoked ones, newest first. */
  'analytics/list-report-links': {
    body: Nothing;
    data: {
      links: Array<{
        report_link_id: number;
        created_at: string;
        /** `null`: not known. */
        created_by: MemberName | null;
        expires_at: string;
        start_date: string;
        end_date: string;
        time_zone: string;
        campaign: { campaign_id: string; name: string } | null;
        group_list_name: string | null;
        tag: string | null;
      }>;
    };
  };
  /** Revoke a link to a report */
  'analytics/revoke-report-link': { body: { report_link_id: number }; data: NoData };
  /** Get the report of a link. For anyone who has the token of the link. A token that is unknown, expired or revoked is one and the same 404. */
  'analytics/get-shared-report': {
    body: {
      token: string;
      /** Maximum number of items on a page, 100 unless given. */
      limit?: number | null | undefined;
      /** Adds `runs`. */
      with_runs?: boolean | null | undefined;
    };
    data: Report;
  };
  /** Get the results of a poll or event. Each member counts once per post, with the newest vote by the clock of their phone. A vote that is taken back goes. `polls` has one entry, or several if the poll changed between the runs of a schedule. */
  'analytics/get-poll-results': {
    body: {
      campaign_id: string;
      /** Only this run. Default: all runs. */
      run_id?: number | null | undefined;
    };
    data: { polls: Array<PollResults> };
  };
  /** Export the results of a poll or event as CSV. One row per group and option. With `voters`, one row per vote and option of a poll that was sent with `names_voters`, as long as votes are kept. Format as export-campaign. */
  'analytics/export-poll': {
    body: {
      campaign_id: string;
      format: CsvFormat;
      /** Only this run. Default: all runs. */
      run_id?: number | null | undefined;
      /** Exports who voted for what. */
      voters?: boolean | null | undefined;
    };
    data: string;
  };
  /** Create a webhook. The endpoint receives the events of your workspace from now on, in order and at least once each, as Standard Webhooks 1.0.0 messages. Limited to 20 per workspace. */
  'venom/create-webhook': {
    body: CreateWebhook;
    data: {
      webhook_id: string;
      /** For `v1`: the secret, `whsec_…`. Shown only once. `null` for `v1a`. */
      secret: string | null;
      /** For `v1a`: the public key, `whpk_…`. `null` for `v1`. */
      public_key: string | null;
    };
  };
  /** List your webhooks. Oldest first. */
  'venom/list-webhooks': { body: Nothing; data: { webhooks: Array<Webhook> } };
  /** Get a webhook. As in `list-webhooks`. A secret is not returned. */
  'venom/get-webhook': { body: { webhook_id: string }; data: Webhook };
  /** Update, enable or disable a webhook. Fields that are omitted keep their values. */
  'venom/update-webhook': { body: UpdateWebhook; data: NoData };
  /** Delete a webhook. Waiting messages are dropped. The log of attempts is deleted, too. */
  'venom/delete-webhook': { body: { webhook_id: string }; data: NoData };
  /** Rotate the secret of a webhook. Messages are signed with both secrets until the former one expires: by default after 24 hours, or when `expire_former` says. Use `now` if the former secret has leaked. */
  'venom/rotate-webhook-secret': {
    body: RotateWebhookSecret;
    data: {
      /** For `v1`: the secret, `whsec_…`. Shown only once. `null` for `v1a`. */
      secret: string | null;
      /** For `v1a`: the public key, `whpk_…`. `null` for `v1`. */
      public_key: string | null;
      /** `null`: the former secret has expired at once. */
      former_secret_until: string | null;
    };
  };
  /** Send a test message to a webhook. Its type is `webhook.test`. It goes to this webhook alone, whatever its `events`. `list-webhook-tries` shows the result. */
  'venom/test-webhook': { body: { webhook_id: string }; data: { message_id: string } };
  /** Resend messages to a webhook. One message, or those of a time span within the last 30 days, 10,000 at most. They keep their ids and are sent before new messages. */
  'venom/retry-webhook': { body: RetryWebhook; data: { message_count: number } };
  /** List the delivery attempts of a webhook. Newest first. Attempts are kept for 30 days. */
  'venom/list-webhook-tries': {
    body: {
      webhook_id: string;
      /** Only failed attempts. */
      failed_only?: boolean | null | undefined;
      /** Maximum number of items on a page, 50 unless given. */
      limit?: number | null | undefined;
      cursor?: Cursor | undefined;
    };
    data: {
      tries: Array<{
        /** The `webhook-id` header, which is the same in all attempts. */
        message_id: string;
        type: string;
        at: string;
        milliseconds: number;
        /** The HTTP status. `null` without a response. */
        status: number | null;
        /** The first KiB of the response. */
        answer: string | null;
        /** Why there was no response. */
        error: string | null;
      }>;
      next_cursor: NextCursor;
    };
  };
  /** List your notices. Newest first, without kinds that are turned off for the dashboard. Kept for 90 days, 1,000 at most. */
  'user/list_notices': {
    body: ListNotices;
    data: {
      unread_count: number;
      notices: Array<{
        /** Position of the notice, which increases; `read_notices` takes it. */
        place: number;
        kind: NoticeKind;
        at: string;
        is_read: boolean;
        /** The workspace of the event. Absent in notices of version 0.1.0. */
        workspace_id?: number | undefined;
        approval: { approval_id: string; name: string } | null;
        campaign: { campaign_id: string; name: string } | null;
        /** The account that it is about. `null` also in notices of version 0.1.0. */
        account: { account_id: number; name: string | null } | null;
        /** Of `campaign_decided`. */
        decision: 'approved' | 'changes_requested' | 'rejected' | 'withdrawn' | 'time_passed' | null;
        /** When the late or missed run was due. */
        due_at: string | null;
        /** Since when the account of `account_waiting` cannot send. */
        down_since: string | null;
        /** Why the account of `account_waiting` cannot send. */
        waits_for: WaitReason | null;
        /** How many deliveries of the account of `account_handed_over` other accounts send. */
        handed_over: number | null;
        /** The URL of the webhook. */
        url: string | null;
        /** What the messaging application reported about the account. */
        reason: string | null;
      }>;
      next_cursor: NextCursor;
    };
  };
  /** Mark notices as read */
  'user/read_notices': { body: ReadNotices; data: { unread_count: number } };
  /** Get your notice settings */
  'user/get_notice_settings': { body: Nothing; data: NoticeSettings };
  /** Update your notice settings. Settings that are omitted keep their values. */
  'user/update_notice_settings': { body: UpdateNoticeSettings; data: NoticeSettings };
  /** Subscribe a browser to notices. By Web Push, at most one notice a minute and kind. An endpoint belongs to the user who subscribed it last. Limited to 5 browsers per user; another one replaces the oldest. */
  'user/subscribe_push': { body: SubscribePush; data: NoData };
  /** Unsubscribe a browser from notices. Has no effect on an endpoint that is not subscribed by you. */
  'user/unsubscribe_push': { body: UnsubscribePush; data: NoData };
  /** List the messages of a sandbox group. Returns the posts of your account as members of the group see them, oldest first. */
  'sandbox/list-messages': {
    body: {
      group_metadata_id: number;
      /** Maximum number of items on a page, 100 unless given. */
      limit?: number | null | undefined;
      /** Adds messages that were deleted for everyone, without text and file, and when each message was deleted or last edited. */
      with_changes?: boolean | null | undefined;
      cursor?: Cursor | undefined;
    };
    data: {
      messages: Array<{
        message_id: string;
        text: string;
        media: StoredFile | null;
        /** All files, if there are several, or if the one is a document or has a `caption` of its own. Several pictures and films are an album. */
        files?: Array<ArrivedFile> | undefined;
        /** Present if the post is a poll or an event. */
        poll?: PostedPoll | null | undefined;
        event?: PostedEvent | null | undefined;
        link_preview: LinkCardShown;
        sent_at: string;
        /** With `with_changes`: it mentions everybody. */
        mentions_all?: boolean | undefined;
        /** With `with_changes`: the message that it quotes. */
        quoted_message_id?: string | null | undefined;
        /** With `with_changes`. `null`: never. */
        pinned_until?: string | null | undefined;
        /** With `with_changes`. `null`: never. */
        recalled_at?: string | null | undefined;
        /** With `with_changes`. `null`: never. */
        corrected_at?: string | null | undefined;
      }>;
      next_cursor: NextCursor;
    };
  };
  /** Ban a sandbox account, demote or remove it in groups, or restore it. Lets you try what happens when an account cannot send: posts wait, notices are sent, and other accounts take over. */
  'sandbox/simulate-incident': { body: SimulateIncident; data: { account_id: number; status: AccountStatus } };
}
/** The `data` of each event, by its type. */
export interface EventData {
  /** A campaign was created */
  'campaign.accepted': CampaignEventData;
  /** The first run of a campaign began */
  'campaign.started': CampaignRunEventData;
  /** A campaign ended and all its posts were sent */
  'campaign.completed': CampaignEventData;
  /** A campaign ended and some of its posts were not sent */
  'campaign.completed_with_errors': CampaignEventData;
  /** A campaign was paused */
  'campaign.paused': CampaignPausedEventData;
  /** A campaign was resumed, after a pause or by a retry */
  'campaign.resumed': CampaignEventData;
  /** A campaign was cancelled */
  'campaign.cancelled': CampaignEventData;
  /** A run was missed: it could not begin within 6 hours */
  'campaign.missed': CampaignRunEventData;
  /** A run is late: nothing of it was tried a minute after its time */
  'campaign.late': CampaignRunEventData;
  /** Planned runs moved to other instants, because the rules of their time zone changed */
  'campaign.rescheduled': {
    campaign_id: string;
    name: string;
    status: CampaignStatus;
    is_schedule: boolean;
    external_id: OwnId;
    metadata: OwnTexts;
    tags: Array<string>;
    /** How many planned runs moved. */
    run_count: number;
    time_zone: string;
  };
  /** A recall of a campaign was requested */
  'campaign.recalled': CampaignEventData;
  /** A correction of a campaign was requested */
  'campaign.corrected': CampaignEventData;
  /** The pin of the posts of a run was requested */
  'campaign.pinned': CampaignEventData;
  /** The end of the pins of a run was requested */
  'campaign.unpinned': CampaignEventData;
  /** A post waits for an approval */
  'campaign.waiting': ApprovalAskedEventData;
  /** A post no longer waits for an approval */
  'campaign.decided': ApprovalDecidedEventData;
  /** A run began, or was resumed by a retry */
  'run.started': RunEventData;
  /** A run ended. Sent again if failed posts prove to have been sent */
  'run.completed': RunEventData;
  /** Deliveries failed */
  'delivery.failed': DeliveriesEventData;
  /** Deliveries were given up with an unknown outcome */
  'delivery.unknown': DeliveriesEventData;
  /** The account was linked, or connected again after a pause */
  'account.connected': AccountEventData;
  /** The account was paused or stopped */
  'account.paused': AccountEventData;
  /** The messaging application restricted or banned the account */
  'account.restricted': AccountEventData;
  /** The account was unlinked */
  'account.logged_out': AccountEventData;
  /** The messaging application rejected the version of the client */
  'account.version_refused': AccountEventData;
  /** An account cannot send, and posts wait for it */
  'account.waiting': AccountWaitingEventData;
  /** Posts of an account that cannot send were handed over to other accounts automatically */
  'account.handed_over': AccountHandedOverEventData;
  /** Groups were added, removed or changed */
  'group.changed': GroupsEventData;
  /** Members replied to posts; counts only */
  'message.reply': {
    campaign_id: string;
    run_id: number;
    groups: Array<{
      group_metadata_id: number;
      /** The total for the post. */
      replies: number;
    }>;
  };
  /** Members reacted to posts; counts only */
  'message.reaction': {
    campaign_id: string;
    run_id: number;
    groups: Array<{
      group_metadata_id: number;
      /** The total for the post. */
      reactions: number;
    }>;
  };
  /** Members voted on polls, or answered events; counts only */
  'poll.vote': VotesEventData;
}
/** An event of the workspace. Later versions of the service may add types. */
export type MessageEvent = {
  [Type in keyof EventData]: { type: Type; timestamp: string; data: EventData[Type] };
}[keyof EventData];
