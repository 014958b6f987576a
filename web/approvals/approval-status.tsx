import type { Approval } from '../api/operations.ts';
import type { Tone } from '../parts/status-tone.ts';
import { Dot } from '../parts/status.tsx';
import { t } from '../i18n/translate.ts';

const TONES: Readonly<Record<Approval['state'], Tone>> = {
  waiting: 'planned',
  changes_requested: 'paused',
  rejected: 'bad',
  withdrawn: 'idle',
  scheduled: 'good',
  sending: 'good',
};

/** The state of a request for approval: a dot and its label. */
export function ApprovalStatus({ of: { state, reason } }: { of: Pick<Approval, 'state' | 'reason'> }) {
  const label = reason === 'time_passed' ? t('approvals.timePassed') : t(`approvals.states.${state}`);
  return <Dot tone={TONES[state]} label={label} />;
}
