/** The types of the API as the dashboard uses them. Odd spellings of the API stay in this folder. */
import type { Operations, Path } from '../../clients/typescript/operations.ts';
import type { EventData, EventFilter } from '../../clients/typescript/types.ts';

export type { EventFilter, Path };
export type Body<P extends Path> = Operations[P]['body'];
export type Data<P extends Path> = Operations[P]['data'];

export type Campaign = Data<'venom/get-campaign'>;
export type CampaignRow = Data<'venom/list-campaigns'>['campaigns'][number];
export type CampaignStatus = CampaignRow['status'];
export type PostKind = NonNullable<CampaignRow['post_kind']>;
export type Approval = Data<'venom/list-approvals'>['approvals'][number];
export type FullApproval = Data<'venom/get-approval'>;
export type Analytics = Data<'analytics/get-campaign-group-analytics-master'>;
export type GroupRow = Analytics['groups'][number];
export type Overview = Data<'analytics/get-overview'>;
export type Report = Data<'analytics/get-report'>;
export type CalendarLink = Data<'venom/list-calendar-links'>['links'][number];
export type ReportLink = Data<'analytics/list-report-links'>['links'][number];
export type Run = Analytics['runs'][number];
export type PlannedRun = Data<'venom/list-runs'>['runs'][number];
export type Group = Data<'venom/list-groups'>['groups'][number];
export type GroupReport = Data<'analytics/get-group'>;
export type GroupColumn = NonNullable<Body<'venom/list-groups'>['sort_by']>;
export type GroupList = Data<'venom/list-group-lists'>['group_lists'][number];
export type GroupKind = Group['kind'];
export type Workspace = Data<'workspace/list-workspaces'>['workspaces'][number];
export type Member = Data<'workspace/list-members'>['members'][number];
export type Role = Member['role'];
export type GivenRole = Body<'workspace/set-member-role'>['role'];
export type ApiKey = Data<'user/list_api_keys'>['api_keys'][number];
export type Webhook = Data<'venom/list-webhooks'>['webhooks'][number];
export type WebhookTry = Data<'venom/list-webhook-tries'>['tries'][number];
export type EventType = keyof EventData;
export type Factor = Data<'user/list_factors'>['factors'][number];
export type ListedUser = Data<'admin/list_users'>['users'][number];
export type InstallationFinding = Data<'admin/get_installation'>['findings'][number];
export type QueuedCampaigns = Data<'admin/list_queued'>;
export type HoldChoice = NonNullable<Body<'admin/release_ledger'>['others']>;
export type UserSession = Data<'user/list_sessions'>['sessions'][number];
export type Notice = Data<'user/list_notices'>['notices'][number];
export type NoticeKind = Notice['kind'];
export type Message = Data<'sandbox/list-messages'>['messages'][number];

/**
 * The state of the link to the messaging application. The optional fields belong to messengers that are linked by hand (contract §4); the
 * sandbox never sends them.
 */
export type AccountStatus = Data<'venom/account-status'>;
/** An account of the workspace: its state, and its share of the work. */
export type ListedAccount = Data<'venom/list-accounts'>['accounts'][number];
export type SendWindow = Data<'venom/update-account'>;
export type SenderRule = Data<'venom/list-senders'>['senders'][number];
