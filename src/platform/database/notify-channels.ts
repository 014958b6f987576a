/** The channels of notifications. */
export const NOTIFY_CHANNELS = [
  'campanile_lanes',
  'campanile_runs',
  'campanile_commands',
  'campanile_results',
  'campanile_tokens',
  'campanile_erasures',
  'campanile_revisions',
  'campanile_mails',
] as const;
export type NotifyChannel = (typeof NOTIFY_CHANNELS)[number];
