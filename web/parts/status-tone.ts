import type { CampaignStatus, Run } from '../api/operations.ts';

export type Tone = 'good' | 'busy' | 'planned' | 'paused' | 'idle' | 'bad';

const TONES: Readonly<Record<CampaignStatus | Run['status'], Tone>> = {
  scheduled: 'planned',
  planned: 'planned',
  running: 'busy',
  paused: 'paused',
  completed: 'good',
  completed_with_errors: 'bad',
  missed: 'bad',
  cancelled: 'idle',
};

/** Returns the status to show for a run: an open run of a paused campaign is paused. */
export function statusOfRun(run: Run['status'], campaign: CampaignStatus): Run['status'] | 'paused' {
  return campaign === 'paused' && (run === 'planned' || run === 'running') ? 'paused' : run;
}

export function toneOfStatus(status: CampaignStatus | Run['status']): Tone {
  return TONES[status];
}
