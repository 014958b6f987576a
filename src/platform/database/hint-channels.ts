/** What hints are about. */
export const HINT_CHANNELS = [
  'campanile_lanes',
  'campanile_runs',
  'campanile_commands',
  'campanile_results',
  'campanile_tokens',
  'campanile_erasures',
  'campanile_revisions',
  'campanile_mails',
] as const;
export type HintChannel = (typeof HINT_CHANNELS)[number];
