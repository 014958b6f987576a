import type { CampaignStatus, Run } from '../api/operations.ts';

export type Tone = 'good' | 'busy' | 'idle' | 'bad';

const TONES: Readonly<Record<CampaignStatus | Run['status'], Tone>> = {
  scheduled: 'idle',
  planned: 'idle',
  running: 'busy',
  paused: 'idle',
  completed: 'good',
  completed_with_errors: 'bad',
  missed: 'bad',
  cancelled: 'idle',
};

export function toneOfStatus(status: CampaignStatus | Run['status']): Tone {
  return TONES[status];
}
