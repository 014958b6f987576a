import type { ReactNode } from 'react';
import type { Analytics, GroupKind } from '../api/operations.ts';
import { count, share } from '../format/numbers.ts';
import { Ticks } from '../parts/ticks.tsx';
import { words } from '../words/words.ts';

/** Who got it, in a few figures. Views are what channels have instead of reads. */
export function Counters({ totals, kinds }: { totals: Analytics['totals']; kinds: ReadonlySet<GroupKind> }) {
  return (
    <dl className="figures" aria-label={words.campaign.figures}>
      <Figure
        label={words.campaign.groupsReached}
        value={count(totals.sent)}
        note={words.campaign.ofGroups(count(totals.deliveries))}
      />
      <Figure
        label={words.campaign.delivered}
        value={share(totals.delivery_rate)}
        note={words.campaign.people(count(totals.delivered), count(totals.recipients))}
        sign={<Ticks kind="delivered" />}
      />
      <Figure
        label={words.campaign.read}
        value={share(totals.read_rate)}
        note={words.campaign.people(count(totals.read), count(totals.recipients))}
        sign={<Ticks kind="read" />}
      />
      {kinds.has('channel') && <Figure label={words.campaign.views} value={count(totals.views)} />}
      <Figure label={words.campaign.reactions} value={count(totals.reactions)} />
      <Figure label={words.campaign.replies} value={count(totals.replies)} />
    </dl>
  );
}

function Figure({ label, value, note, sign }: { label: string; value: string; note?: string; sign?: ReactNode }) {
  return (
    <div className="figure">
      <dt>
        {label} {sign}
      </dt>
      <dd>
        <span className="figure-value">{value}</span>
        {note !== undefined && <span className="figure-note">{note}</span>}
      </dd>
    </div>
  );
}
