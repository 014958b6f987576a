/** All operations of the API, by resource. Routes, the OpenAPI document and the clients' tables are derived from it. */
import { accounts } from './accounts.ts';
import { administration } from './administration.ts';
import { analytics } from './analytics.ts';
import { apiKeys } from './api-keys.ts';
import { approvals } from './approvals.ts';
import { auditLog } from './audit-log.ts';
import { campaignControl } from './campaign-control.ts';
import { campaignReads } from './campaign-reads.ts';
import { campaigns } from './campaigns.ts';
import type { OperationContract } from './define-operations.ts';
import { drafts } from './drafts.ts';
import { templates } from './templates.ts';
import { factors } from './factors.ts';
import { groupFields } from './group-fields.ts';
import { groupLists } from './group-lists.ts';
import { groups } from './groups.ts';
import { hold } from './hold.ts';
import { planImports } from './import-plan.ts';
import { media } from './media.ts';
import { linkPreviews } from './link-preview.ts';
import { notices } from './notices.ts';
import { passwords } from './passwords.ts';
import { pollResultOperations } from './poll-results.ts';
import { calendarLinks } from './calendar-links.ts';
import { report } from './report.ts';
import { sandbox } from './sandbox.ts';
import { senders } from './senders.ts';
import { sessions } from './sessions.ts';
import { users } from './users.ts';
import { webhooks } from './webhooks.ts';
import { workspaces } from './workspaces.ts';

export const contract = {
  users,
  passwords,
  sessions,
  apiKeys,
  workspaces,
  auditLog,
  factors,
  administration,
  hold,
  accounts,
  groups,
  groupLists,
  groupFields,
  senders,
  campaigns,
  campaignReads,
  campaignControl,
  planImports,
  drafts,
  templates,
  approvals,
  media,
  linkPreviews,
  analytics,
  calendarLinks,
  report,
  pollResults: pollResultOperations,
  webhooks,
  notices,
  sandbox,
};
export type Contract = typeof contract;

type Resource = Contract[keyof Contract];

export function listContracts(): OperationContract[] {
  return Object.values<Resource>(contract).flatMap((resource) => Object.values<OperationContract>(resource));
}
