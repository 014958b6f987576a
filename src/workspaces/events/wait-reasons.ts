/**
 * Why posts that are due do not leave: one list for the API, pages, notices, webhooks, metrics, alerts, the doctor and the command line. In
 * the order of precedence. Each has a sentence `waits.REASON` in the catalogs.
 */
export const WAIT_REASONS = [
  'held',
  'disabled',
  'quarantined',
  'not_linked',
  'linking',
  'logged_out',
  'banned',
  'locked',
  'restricted',
  'rate_limited',
  'refused',
  'used_elsewhere',
  'version_refused',
  'no_worker',
  'offline',
  'new_link',
  'quiet_hours',
  'daily_cap',
  'warm_up',
  'unexplained',
] as const;

export type WaitReason = (typeof WAIT_REASONS)[number];

/** Reasons that need nobody, or that something else tells: a rule of the workspace, and a state that somebody has chosen. */
export const EXPLAINED_WAITS: readonly WaitReason[] = [
  'held',
  'disabled',
  'quarantined',
  'new_link',
  'quiet_hours',
  'daily_cap',
  'warm_up',
];

/** An account that waits this long without such a reason is told of. */
export const UNEXPLAINED_AFTER_MINUTES = 15;
