/** What each operation takes and answers, out of the contract that the service itself is held to. */
import type { z } from 'zod';
import type * as admin from '../../src/api/contract/admin.ts';
import type * as doctor from '../../src/api/contract/doctor.ts';
import type * as hold from '../../src/api/contract/hold.ts';
import type * as accounts from '../../src/api/contract/accounts.ts';
import type * as analytics from '../../src/api/contract/analytics.ts';
import type * as keys from '../../src/api/contract/api-keys.ts';
import type * as campaigns from '../../src/api/contract/campaigns.ts';
import type * as check from '../../src/api/contract/check-campaign.ts';
import type * as drafts from '../../src/api/contract/drafts.ts';
import type { duplicateCampaignData } from '../../src/api/contract/duplicate-campaign.ts';
import type * as factors from '../../src/api/contract/factors.ts';
import type { nothing } from '../../src/api/contract/fields.ts';
import type * as group from '../../src/api/contract/get-group.ts';
import type * as groups from '../../src/api/contract/groups.ts';
import type * as lists from '../../src/api/contract/group-lists.ts';
import type * as runs from '../../src/api/contract/list-runs.ts';
import type * as sessions from '../../src/api/contract/sessions.ts';
import type { getMediaBody } from '../../src/api/contract/get-media.ts';
import type * as mail from '../../src/api/contract/mail.ts';
import type * as revise from '../../src/api/contract/revise-campaign.ts';
import type * as rests from '../../src/api/contract/update-account.ts';
import type * as users from '../../src/api/contract/users.ts';
import type * as notices from '../../src/api/contract/notices.ts';
import type * as webhooks from '../../src/api/contract/webhooks.ts';

interface Operation<Body extends z.ZodType, Data extends z.ZodType> {
  body: z.input<Body>;
  data: z.output<Data>;
}

/** By path, without `/api/v1/`. */
export interface Operations {
  'user/create_user': Operation<typeof users.createUserBody, typeof users.createUserData>;
  'user/authorize_user': Operation<typeof users.authorizeUserBody, typeof users.authorizeUserData>;
  'user/get_profile': Operation<typeof nothing, typeof users.ownProfile>;
  'user/update_profile': Operation<typeof users.updateProfileBody, typeof users.profile>;
  'user/change_password': Operation<typeof users.changePasswordBody, typeof users.nothingData>;
  'user/revoke_tokens': Operation<typeof users.revokeTokensBody, typeof users.nothingData>;
  'user/list_sessions': Operation<typeof nothing, typeof sessions.listSessionsData>;
  'user/end_session': Operation<typeof sessions.endSessionBody, typeof users.nothingData>;
  'user/delete_account': Operation<typeof users.deleteAccountBody, typeof users.nothingData>;
  'user/create_api_key': Operation<typeof keys.createApiKeyBody, typeof keys.createApiKeyData>;
  'user/list_api_keys': Operation<typeof nothing, typeof keys.listApiKeysData>;
  'user/revoke_api_key': Operation<typeof keys.revokeApiKeyBody, typeof users.nothingData>;
  'user/list_audit_log': Operation<typeof keys.listAuditLogBody, typeof keys.listAuditLogData>;
  'user/list_factors': Operation<typeof nothing, typeof factors.listFactorsData>;
  'user/add_totp': Operation<typeof nothing, typeof factors.addTotpData>;
  'user/confirm_totp': Operation<typeof factors.confirmTotpBody, typeof factors.recoveryCodesData>;
  'user/remove_factor': Operation<typeof factors.removeFactorBody, typeof users.nothingData>;
  'user/renew_recovery_codes': Operation<typeof nothing, typeof factors.recoveryCodesData>;
  'user/confirm_identity': Operation<typeof factors.confirmIdentityBody, typeof factors.confirmIdentityData>;
  'user/send_verification': Operation<typeof nothing, typeof users.nothingData>;
  'user/verify_email': Operation<typeof mail.codeBody, typeof users.nothingData>;
  'user/request_password_reset': Operation<typeof mail.requestPasswordResetBody, typeof users.nothingData>;
  'user/reset_password': Operation<typeof mail.resetPasswordBody, typeof users.nothingData>;
  'user/accept_invite': Operation<typeof mail.acceptInviteBody, typeof users.createUserData>;
  'user/invite': Operation<typeof mail.emailBody, typeof mail.inviteData>;
  'admin/list_invitations': Operation<typeof nothing, typeof admin.listInvitationsData>;
  'admin/withdraw_invitation': Operation<typeof mail.emailBody, typeof users.nothingData>;
  'admin/list_users': Operation<typeof admin.listUsersBody, typeof admin.listUsersData>;
  'admin/get_user': Operation<typeof admin.userBody, typeof admin.managedUserData>;
  'admin/disable_user': Operation<typeof admin.userBody, typeof users.nothingData>;
  'admin/enable_user': Operation<typeof admin.userBody, typeof users.nothingData>;
  'admin/reset_factors': Operation<typeof admin.userBody, typeof users.nothingData>;
  'admin/delete_user': Operation<typeof admin.deleteUserBody, typeof users.nothingData>;
  'admin/get_installation': Operation<typeof nothing, typeof doctor.getInstallationData>;
  'admin/list_queued': Operation<typeof nothing, typeof hold.listQueuedData>;
  'admin/release_ledger': Operation<typeof hold.resumeLedgerBody, typeof users.nothingData>;
  'venom/add-campaign': Operation<typeof campaigns.addCampaignBody, typeof campaigns.addCampaignData>;
  'venom/add-campaign-batch': Operation<typeof campaigns.addCampaignBatchBody, typeof campaigns.addCampaignBatchData>;
  'venom/update-campaign': Operation<typeof campaigns.updateCampaignBody, typeof campaigns.controlledData>;
  'venom/retry-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.controlledData>;
  'venom/delete-campaign': Operation<typeof campaigns.campaignBody, typeof users.nothingData>;
  'venom/preview-campaign': Operation<typeof campaigns.previewBody, typeof campaigns.previewData>;
  'venom/list-campaigns': Operation<typeof campaigns.listCampaignsBody, typeof campaigns.listCampaignsData>;
  'venom/get-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.getCampaignData>;
  'venom/check-campaign': Operation<typeof check.checkCampaignBody, typeof check.checkCampaignData>;
  'venom/duplicate-campaign': Operation<typeof campaigns.campaignBody, typeof duplicateCampaignData>;
  'venom/list-runs': Operation<typeof runs.listRunsBody, typeof runs.listRunsData>;
  'venom/get-media': { body: z.input<typeof getMediaBody>; data: Blob };
  'venom/recall-campaign': Operation<typeof revise.recallCampaignBody, typeof revise.revisedData>;
  'venom/correct-campaign': Operation<typeof revise.correctCampaignBody, typeof revise.revisedData>;
  'venom/pause-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.controlledData>;
  'venom/resume-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.controlledData>;
  'venom/cancel-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.controlledData>;
  'venom/create-channel': Operation<typeof groups.createChannelBody, typeof groups.createChannelData>;
  'venom/create-community': Operation<typeof groups.createCommunityBody, typeof groups.createdGroupData>;
  'venom/create-group': Operation<typeof groups.createGroupBody, typeof groups.createdGroupData>;
  'venom/list-groups': Operation<typeof groups.listGroupsBody, typeof groups.listGroupsData>;
  'venom/save-group-list': Operation<typeof lists.saveGroupListBody, typeof lists.saveGroupListData>;
  'venom/list-group-lists': Operation<typeof nothing, typeof lists.listGroupListsData>;
  'venom/delete-group-list': Operation<typeof lists.groupListBody, typeof users.nothingData>;
  'venom/save-draft': Operation<typeof drafts.saveDraftBody, typeof drafts.saveDraftData>;
  'venom/list-drafts': Operation<typeof drafts.listDraftsBody, typeof drafts.listDraftsData>;
  'venom/delete-draft': Operation<typeof drafts.draftBody, typeof users.nothingData>;
  'venom/sync-groups': Operation<typeof nothing, typeof groups.syncGroupsData>;
  'venom/connect-account': Operation<typeof accounts.connectAccountBody, typeof accounts.connectAccountData>;
  'venom/disconnect-account': Operation<typeof nothing, typeof accounts.disconnectAccountData>;
  'venom/account-status': Operation<typeof accounts.accountStatusBody, typeof accounts.accountStatusData>;
  'venom/update-account': Operation<typeof rests.updateAccountBody, typeof rests.updateAccountData>;
  'user/list_notices': Operation<typeof notices.listNoticesBody, typeof notices.listNoticesData>;
  'user/read_notices': Operation<typeof notices.readNoticesBody, typeof notices.readNoticesData>;
  'user/get_notice_settings': Operation<typeof nothing, typeof notices.noticeSettingsData>;
  'user/update_notice_settings': Operation<typeof notices.updateNoticeSettingsBody, typeof notices.noticeSettingsData>;
  'user/subscribe_push': Operation<typeof notices.subscribePushBody, typeof users.nothingData>;
  'user/unsubscribe_push': Operation<typeof notices.unsubscribePushBody, typeof users.nothingData>;
  'venom/create-webhook': Operation<typeof webhooks.createWebhookBody, typeof webhooks.createWebhookData>;
  'venom/list-webhooks': Operation<typeof nothing, typeof webhooks.listWebhooksData>;
  'venom/update-webhook': Operation<typeof webhooks.updateWebhookBody, typeof users.nothingData>;
  'venom/delete-webhook': Operation<typeof webhooks.webhookBody, typeof users.nothingData>;
  'venom/rotate-webhook-secret': Operation<typeof webhooks.webhookBody, typeof webhooks.rotateWebhookSecretData>;
  'venom/test-webhook': Operation<typeof webhooks.webhookBody, typeof webhooks.testWebhookData>;
  'venom/retry-webhook': Operation<typeof webhooks.retryWebhookBody, typeof webhooks.retryWebhookData>;
  'venom/list-webhook-tries': Operation<typeof webhooks.listWebhookTriesBody, typeof webhooks.listWebhookTriesData>;
  'analytics/get-campaign-group-analytics-master': Operation<
    typeof analytics.groupAnalyticsBody,
    typeof analytics.groupAnalyticsData
  >;
  'analytics/get-overview': Operation<typeof analytics.getOverviewBody, typeof analytics.getOverviewData>;
  'analytics/get-group': Operation<typeof group.getGroupBody, typeof group.getGroupData>;
  'analytics/export-campaign': Operation<typeof analytics.exportCampaignBody, z.ZodString>;
  'sandbox/list-messages': Operation<typeof groups.listMessagesBody, typeof groups.listMessagesData>;
}

export type Path = keyof Operations;

/** How often an operation may be sent without doing anything twice. */
export type Repeatable =
  /** It only reads, or comes to the same however often it is sent. */
  | 'always'
  /** With an `Idempotency-Key`. */
  | 'keyed'
  | 'never';

const REPEATABLE: { readonly [P in Path]: Repeatable } = {
  'user/create_user': 'never',
  'user/authorize_user': 'never',
  'user/get_profile': 'always',
  'user/update_profile': 'never',
  'user/change_password': 'never',
  'user/revoke_tokens': 'never',
  'user/list_sessions': 'always',
  'user/end_session': 'never',
  'user/delete_account': 'never',
  'user/create_api_key': 'never',
  'user/list_api_keys': 'always',
  'user/revoke_api_key': 'never',
  'user/list_audit_log': 'always',
  'user/list_factors': 'always',
  'user/add_totp': 'never',
  'user/confirm_totp': 'never',
  'user/remove_factor': 'never',
  'user/renew_recovery_codes': 'never',
  'user/confirm_identity': 'never',
  'user/send_verification': 'never',
  'user/verify_email': 'never',
  'user/request_password_reset': 'never',
  'user/reset_password': 'never',
  'user/accept_invite': 'never',
  'user/invite': 'never',
  'admin/list_invitations': 'always',
  'admin/withdraw_invitation': 'never',
  'admin/list_users': 'always',
  'admin/get_user': 'always',
  'admin/disable_user': 'always',
  'admin/enable_user': 'always',
  'admin/reset_factors': 'never',
  'admin/delete_user': 'never',
  'admin/get_installation': 'always',
  'admin/list_queued': 'always',
  'admin/release_ledger': 'never',
  'user/list_notices': 'always',
  'user/read_notices': 'never',
  'user/get_notice_settings': 'always',
  'user/update_notice_settings': 'never',
  'user/subscribe_push': 'never',
  'user/unsubscribe_push': 'never',
  'venom/create-webhook': 'never',
  'venom/list-webhooks': 'always',
  'venom/update-webhook': 'never',
  'venom/delete-webhook': 'never',
  'venom/rotate-webhook-secret': 'never',
  'venom/test-webhook': 'never',
  'venom/retry-webhook': 'never',
  'venom/list-webhook-tries': 'always',
  'venom/add-campaign': 'keyed',
  'venom/add-campaign-batch': 'keyed',
  'venom/update-campaign': 'never',
  'venom/retry-campaign': 'never',
  'venom/delete-campaign': 'keyed',
  'venom/preview-campaign': 'always',
  'venom/list-campaigns': 'always',
  'venom/get-campaign': 'always',
  'venom/check-campaign': 'always',
  'venom/duplicate-campaign': 'always',
  'venom/list-runs': 'always',
  'venom/get-media': 'always',
  'venom/recall-campaign': 'never',
  'venom/correct-campaign': 'never',
  'venom/pause-campaign': 'never',
  'venom/resume-campaign': 'never',
  'venom/cancel-campaign': 'never',
  'venom/create-channel': 'keyed',
  'venom/create-community': 'keyed',
  'venom/create-group': 'keyed',
  'venom/list-groups': 'always',
  'venom/save-group-list': 'never',
  'venom/list-group-lists': 'always',
  'venom/delete-group-list': 'never',
  'venom/save-draft': 'always',
  'venom/list-drafts': 'always',
  'venom/delete-draft': 'never',
  'venom/sync-groups': 'never',
  'venom/connect-account': 'never',
  'venom/disconnect-account': 'never',
  'venom/account-status': 'always',
  'venom/update-account': 'never',
  'analytics/get-campaign-group-analytics-master': 'always',
  'analytics/get-overview': 'always',
  'analytics/get-group': 'always',
  'analytics/export-campaign': 'always',
  'sandbox/list-messages': 'always',
};

export function repeatable(path: Path): Repeatable {
  return REPEATABLE[path];
}

/** All there are. */
export const PATHS: readonly Path[] = Object.keys(REPEATABLE) as Path[];
