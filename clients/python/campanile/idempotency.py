"""Whether a request may be repeated, by path. `npm run docs` writes this file from the contract."""

ALWAYS = frozenset(
    (
        "user/get_profile",
        "user/list_sessions",
        "user/list_api_keys",
        "user/list_audit_log",
        "user/list_factors",
        "admin/list_invitations",
        "admin/list_users",
        "admin/get_user",
        "admin/disable_user",
        "admin/enable_user",
        "admin/get_installation",
        "admin/list_queued",
        "venom/account-status",
        "venom/list-groups",
        "venom/list-group-lists",
        "venom/preview-campaign",
        "venom/check-campaign",
        "venom/duplicate-campaign",
        "venom/list-campaigns",
        "venom/get-campaign",
        "venom/list-runs",
        "venom/get-media",
        "venom/save-draft",
        "venom/list-drafts",
        "media/upload",
        "media/import",
        "media/list-media",
        "venom/link-preview",
        "analytics/get-campaign-group-analytics-master",
        "analytics/get-overview",
        "analytics/get-group",
        "analytics/export-campaign",
        "analytics/get-report",
        "analytics/get-poll-results",
        "analytics/export-poll",
        "venom/list-webhooks",
        "venom/get-webhook",
        "venom/list-webhook-tries",
        "user/list_notices",
        "user/get_notice_settings",
        "sandbox/list-messages",
    )
)

KEYED = frozenset(
    (
        "venom/create-channel",
        "venom/create-community",
        "venom/create-group",
        "venom/add-campaign",
        "venom/add-campaign-batch",
        "venom/delete-campaign",
    )
)
