import type { CampaignStatus, Run } from '../api/operations.ts';
import { words } from '../words/words.ts';
import { toneOfStatus, type Tone } from './tone.ts';

/** The state of a campaign or a run: a dot, and the word for it. */
export function Status({ of }: { of: CampaignStatus | Run['status'] }) {
  return <Dot tone={toneOfStatus(of)} label={words.status[of]} />;
}

export function Dot({ tone, label }: { tone: Tone; label: string }) {
  return (
    <span className="status">
      <span className={`dot dot-${tone}`} aria-hidden="true" />
      {label}
    </span>
  );
}
