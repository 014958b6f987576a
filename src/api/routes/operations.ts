import type { UserDependencies } from '../../identity/dependencies.ts';
import type { ProfileDeps } from '../../identity/get-profile.ts';
import type { WebhookDeps } from '../../notifications/webhooks/manage-webhooks.ts';
import type { ListMessagesDeps } from '../../sending/groups/list-messages.ts';
import type { GroupDeps } from '../../sending/groups/sync-groups.ts';
import { contract, type Contract } from '../contract/contract.ts';
import { implement, type Handlers, type Operation } from '../operation.ts';
import { accountHandlers, type AccountHandlerDeps } from './accounts.ts';
import { administrationHandlers, type AdministrationDeps } from './administration.ts';
import { analyticsHandlers, type AnalyticsDeps } from './analytics.ts';
import { apiKeyHandlers } from './api-keys.ts';
import { approvalHandlers } from './approvals.ts';
import { auditLogHandlers } from './audit-log.ts';
import { campaignControlHandlers, type CampaignControlDeps } from './campaign-control.ts';
import { campaignReadHandlers } from './campaign-reads.ts';
import { campaignHandlers, type CampaignDeps } from './campaigns.ts';
import { draftHandlers } from './drafts.ts';
import { templateHandlers } from './templates.ts';
import { factorHandlers } from './factors.ts';
import { groupFieldHandlers } from './group-fields.ts';
import { groupListHandlers } from './group-lists.ts';
import { groupHandlers } from './groups.ts';
import { holdHandlers } from './hold.ts';
import { planImportHandlers } from './import-plan.ts';
import { mediaHandlers, type MediaDeps } from './media.ts';
import { linkPreviewHandlers, type LinkPreviewDeps } from './link-preview.ts';
import { noticeHandlers, type NoticeDeps } from './notices.ts';
import { passwordHandlers } from './passwords.ts';
import { pollResultHandlers } from './poll-results.ts';
import { calendarLinkHandlers } from './calendar-links.ts';
import { reportHandlers } from './report.ts';
import { sandboxHandlers } from './sandbox.ts';
import { senderHandlers } from './senders.ts';
import { sessionHandlers } from './sessions.ts';
import { userHandlers } from './users.ts';
import { webhookHandlers } from './webhooks.ts';
import { workspaceHandlers } from './workspaces.ts';

/** The dependencies of all handlers; each handler takes its part. */
export type OperationDependencies = UserDependencies &
  ProfileDeps &
  AdministrationDeps &
  AccountHandlerDeps &
  GroupDeps &
  CampaignDeps &
  CampaignControlDeps &
  AnalyticsDeps &
  ListMessagesDeps &
  MediaDeps &
  WebhookDeps &
  LinkPreviewDeps &
  NoticeDeps;

/** A resource without handlers, and handlers without a resource, are type errors. */
const HANDLERS: { readonly [Resource in keyof Contract]: Handlers<Contract[Resource], OperationDependencies> } = {
  users: userHandlers,
  passwords: passwordHandlers,
  sessions: sessionHandlers,
  apiKeys: apiKeyHandlers,
  workspaces: workspaceHandlers,
  auditLog: auditLogHandlers,
  factors: factorHandlers,
  administration: administrationHandlers,
  hold: holdHandlers,
  accounts: accountHandlers,
  groups: groupHandlers,
  groupLists: groupListHandlers,
  groupFields: groupFieldHandlers,
  senders: senderHandlers,
  campaigns: campaignHandlers,
  campaignReads: campaignReadHandlers,
  campaignControl: campaignControlHandlers,
  planImports: planImportHandlers,
  drafts: draftHandlers,
  templates: templateHandlers,
  approvals: approvalHandlers,
  media: mediaHandlers,
  linkPreviews: linkPreviewHandlers,
  analytics: analyticsHandlers,
  calendarLinks: calendarLinkHandlers,
  report: reportHandlers,
  pollResults: pollResultHandlers,
  webhooks: webhookHandlers,
  notices: noticeHandlers,
  sandbox: sandboxHandlers,
};

/** Every operation of the service. */
export function listOperations(deps: OperationDependencies): Operation[] {
  const operationsOf = <Resource extends keyof Contract>(resource: Resource) =>
    implement<Contract[Resource], OperationDependencies>(contract[resource], HANDLERS[resource], deps);
  return (Object.keys(contract) as Array<keyof Contract>).flatMap(operationsOf);
}
