import type { CampaignStatus, Run } from '../api/operations.ts';

export type Tone = 'good' | 'busy' | 'planned' | 'paused' | 'idle' | 'bad';

/** What a campaign or run is shown as. `recalled`: its posts were deleted for everyone. */
export type ShownStatus = CampaignStatus | Run['status'] | 'recalled';

const TONES: Readonly<Record<ShownStatus, Tone>> = {
  scheduled: 'planned',
  planned: 'planned',
  running: 'busy',
  paused: 'paused',
  completed: 'good',
  completed_with_errors: 'bad',
  missed: 'bad',
  cancelled: 'idle',
  recalled: 'idle',
};

/** Returns the status to show for a run: an open run of a paused campaign is paused. */
export function statusOfRun(run: Run['status'], campaign: CampaignStatus): Run['status'] | 'paused' {
  return campaign === 'paused' && (run === 'planned' || run === 'running') ? 'paused' : run;
}

export function toneOfStatus(status: ShownStatus): Tone {
  return TONES[status];
}
