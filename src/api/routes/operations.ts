import type { CheckDeps } from '../../sending/campaigns/accept/check-campaign.ts';
import type { ConnectDeps } from '../../sending/accounts/connect-account.ts';
import type { ListMessagesDeps } from '../../sending/groups/list-messages.ts';
import type { GroupDeps } from '../../sending/groups/sync-groups.ts';
import type { RetryDeps } from '../../sending/campaigns/change/retry-campaign.ts';
import type { Operation } from '../operation.ts';
import { exportCampaignOperation } from './analytics/export-campaign.ts';
import { getCampaignGroupAnalyticsMasterOperation } from './analytics/get-campaign-group-analytics-master.ts';
import { getGroupOperation } from './analytics/get-group.ts';
import { getOverviewOperation } from './analytics/get-overview.ts';
import { addCampaignBatchOperation } from './campaigns/add-campaign-batch.ts';
import { addCampaignOperation } from './campaigns/add-campaign.ts';
import { cancelCampaignOperation } from './campaigns/cancel-campaign.ts';
import { checkCampaignOperation } from './campaigns/check-campaign.ts';
import { correctCampaignOperation } from './campaigns/correct-campaign.ts';
import { deleteCampaignOperation } from './campaigns/delete-campaign.ts';
import { duplicateCampaignOperation } from './campaigns/duplicate-campaign.ts';
import { getCampaignOperation } from './campaigns/get-campaign.ts';
import { getMediaOperation } from './campaigns/get-media.ts';
import { listCampaignsOperation } from './campaigns/list-campaigns.ts';
import { listRunsOperation } from './campaigns/list-runs.ts';
import { pauseCampaignOperation } from './campaigns/pause-campaign.ts';
import { previewCampaignOperation } from './campaigns/preview-campaign.ts';
import { recallCampaignOperation } from './campaigns/recall-campaign.ts';
import { resumeCampaignOperation } from './campaigns/resume-campaign.ts';
import { retryCampaignOperation } from './campaigns/retry-campaign.ts';
import { updateCampaignOperation } from './campaigns/update-campaign.ts';
import { accountStatusOperation } from './accounts/account-status.ts';
import { connectAccountOperation } from './accounts/connect-account.ts';
import { disconnectAccountOperation } from './accounts/disconnect-account.ts';
import { deleteGroupListOperation } from './groups/delete-group-list.ts';
import { listGroupListsOperation } from './groups/list-group-lists.ts';
import { saveGroupListOperation } from './groups/save-group-list.ts';
import { createChannelOperation } from './groups/create-channel.ts';
import { createCommunityOperation } from './groups/create-community.ts';
import { createGroupOperation } from './groups/create-group.ts';
import { listGroupsOperation } from './groups/list-groups.ts';
import { syncGroupsOperation } from './groups/sync-groups.ts';
import { deleteDraftOperation } from './drafts/delete-draft.ts';
import { listDraftsOperation } from './drafts/list-drafts.ts';
import { saveDraftOperation } from './drafts/save-draft.ts';
import { updateAccountOperation } from './accounts/update-account.ts';
import { listMessagesOperation } from './sandbox/list-messages.ts';
import { deleteUserOperation } from './admin/delete-user.ts';
import { disableUserOperation } from './admin/disable-user.ts';
import { enableUserOperation } from './admin/enable-user.ts';
import { getInstallationOperation, type ExamineDeps } from './admin/get-installation.ts';
import { getUserOperation } from './admin/get-user.ts';
import { resetFactorsOperation } from './admin/reset-factors.ts';
import { listInvitationsOperation } from './admin/list-invitations.ts';
import { listUsersOperation } from './admin/list-users.ts';
import { listQueuedOperation } from './admin/list-queued.ts';
import { resumeLedgerOperation } from './admin/release-ledger.ts';
import { withdrawInvitationOperation } from './admin/withdraw-invitation.ts';
import { acceptInviteOperation } from './users/accept-invite.ts';
import { inviteOperation } from './users/invite.ts';
import { requestPasswordResetOperation } from './users/request-password-reset.ts';
import { resetPasswordOperation } from './users/reset-password.ts';
import { sendVerificationOperation } from './users/send-verification.ts';
import { verifyEmailOperation } from './users/verify-email.ts';
import { authorizeUserOperation } from './users/authorize-user.ts';
import { changePasswordOperation } from './users/change-password.ts';
import { createUserOperation } from './users/create-user.ts';
import { deleteAccountOperation } from './users/delete-account.ts';
import { getProfileOperation } from './users/get-profile.ts';
import { listAuditLogOperation } from './users/list-audit-log.ts';
import { revokeTokensOperation } from './users/revoke-tokens.ts';
import { updateProfileOperation } from './users/update-profile.ts';
import { endSessionOperation } from './sessions/end-session.ts';
import { listSessionsOperation } from './sessions/list-sessions.ts';
import { listFactorsOperation } from './factors/list-factors.ts';
import { addTotpOperation } from './factors/add-totp.ts';
import { confirmTotpOperation } from './factors/confirm-totp.ts';
import { removeFactorOperation } from './factors/remove-factor.ts';
import { renewRecoveryCodesOperation } from './factors/renew-recovery-codes.ts';
import { confirmIdentityOperation } from './factors/confirm-identity.ts';
import { createApiKeyOperation } from './api-keys/create-api-key.ts';
import { listApiKeysOperation } from './api-keys/list-api-keys.ts';
import { revokeApiKeyOperation } from './api-keys/revoke-api-key.ts';
import { createWebhookOperation } from './webhooks/create-webhook.ts';
import { listWebhooksOperation } from './webhooks/list-webhooks.ts';
import { updateWebhookOperation } from './webhooks/update-webhook.ts';
import { deleteWebhookOperation } from './webhooks/delete-webhook.ts';
import { rotateWebhookSecretOperation } from './webhooks/rotate-webhook-secret.ts';
import { testWebhookOperation } from './webhooks/test-webhook.ts';
import { retryWebhookOperation } from './webhooks/retry-webhook.ts';
import { listWebhookTriesOperation } from './webhooks/list-webhook-tries.ts';
import { listNoticesOperation } from './notices/list-notices.ts';
import { noticeSettingsOperation } from './notices/notice-settings.ts';
import { readNoticesOperation } from './notices/read-notices.ts';
import { subscribePushOperation } from './notices/subscribe-push.ts';
import { unsubscribePushOperation } from './notices/unsubscribe-push.ts';
import { updateNoticeSettingsOperation } from './notices/update-notice-settings.ts';
import type { NoticeDeps } from './notices/settings-fields.ts';
import type { UserDependencies } from '../../identity/dependencies.ts';
import type { ProfileDeps } from '../../identity/get-profile.ts';
import type { WebhookDeps } from '../../notifications/webhooks/manage-webhooks.ts';

/** What the operations work with; each asks for the parts that it needs. */
export interface OperationDependencies
  extends
    UserDependencies,
    ProfileDeps,
    CheckDeps,
    GroupDeps,
    ConnectDeps,
    ListMessagesDeps,
    WebhookDeps,
    NoticeDeps,
    ExamineDeps {
  mediaDays?: RetryDeps['mediaDays'];
}

/** Every operation of the service, in the order in which the document lists them. */
export function listOperations(deps: OperationDependencies): Operation[] {
  return [
    ...listUserOperations(deps),
    getInstallationOperation(deps),
    createChannelOperation(deps),
    createCommunityOperation(deps),
    createGroupOperation(deps),
    listGroupsOperation(deps),
    syncGroupsOperation(deps),
    updateAccountOperation(deps),
    listMessagesOperation(deps),
    connectAccountOperation(deps),
    accountStatusOperation(deps),
    disconnectAccountOperation(deps),
    saveGroupListOperation(deps),
    listGroupListsOperation(deps),
    deleteGroupListOperation(deps),
    addCampaignOperation(deps),
    addCampaignBatchOperation(deps),
    saveDraftOperation(deps),
    listDraftsOperation(deps),
    deleteDraftOperation(deps),
    previewCampaignOperation(deps),
    checkCampaignOperation(deps),
    duplicateCampaignOperation(deps),
    getMediaOperation(deps),
    listRunsOperation(deps),
    listCampaignsOperation(deps),
    getCampaignOperation(deps),
    updateCampaignOperation(deps),
    recallCampaignOperation(deps),
    correctCampaignOperation(deps),
    pauseCampaignOperation(deps),
    resumeCampaignOperation(deps),
    cancelCampaignOperation(deps),
    retryCampaignOperation(deps),
    deleteCampaignOperation(deps),
    getCampaignGroupAnalyticsMasterOperation(deps),
    getOverviewOperation(deps),
    getGroupOperation(deps),
    exportCampaignOperation(deps),
    ...listWebhookOperations(deps),
    ...listNoticeOperations(deps),
  ];
}

/** Those by which people are told what happens. */
function listNoticeOperations(deps: NoticeDeps): Operation[] {
  return [
    listNoticesOperation(deps),
    readNoticesOperation(deps),
    noticeSettingsOperation(deps),
    updateNoticeSettingsOperation(deps),
    subscribePushOperation(deps),
    unsubscribePushOperation(deps),
  ];
}

/** Those by which a server is told what happens. */
function listWebhookOperations(deps: WebhookDeps): Operation[] {
  return [
    createWebhookOperation(deps),
    listWebhooksOperation(deps),
    updateWebhookOperation(deps),
    deleteWebhookOperation(deps),
    rotateWebhookSecretOperation(deps),
    testWebhookOperation(deps),
    retryWebhookOperation(deps),
    listWebhookTriesOperation(deps),
  ];
}

/** Those that are about the person: sign-up, sign-in, and what users do with their own data (contract §3 and §4). */
export function listUserOperations(deps: UserDependencies & ProfileDeps): Operation[] {
  return [
    createUserOperation(deps),
    authorizeUserOperation(deps),
    getProfileOperation(deps),
    updateProfileOperation(deps),
    changePasswordOperation(deps),
    revokeTokensOperation(deps),
    listSessionsOperation(deps),
    endSessionOperation(deps),
    deleteAccountOperation(deps),
    createApiKeyOperation(deps),
    listApiKeysOperation(deps),
    revokeApiKeyOperation(deps),
    listAuditLogOperation(deps),
    listFactorsOperation(deps),
    addTotpOperation(deps),
    confirmTotpOperation(deps),
    removeFactorOperation(deps),
    renewRecoveryCodesOperation(deps),
    confirmIdentityOperation(deps),
    ...listMailOperations(deps),
  ];
}

/** Those that links in mails lead to, and those of administrators. */
function listMailOperations(deps: UserDependencies & ProfileDeps): Operation[] {
  return [
    sendVerificationOperation(deps),
    verifyEmailOperation(deps),
    requestPasswordResetOperation(deps),
    resetPasswordOperation(deps),
    acceptInviteOperation(deps),
    inviteOperation(deps),
    listInvitationsOperation(deps),
    withdrawInvitationOperation(deps),
    listUsersOperation(deps),
    getUserOperation(deps),
    disableUserOperation(deps),
    enableUserOperation(deps),
    resetFactorsOperation(deps),
    deleteUserOperation(deps),
    listQueuedOperation(deps),
    resumeLedgerOperation(deps),
  ];
}
