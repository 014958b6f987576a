import type { Analytics, GroupKind } from '../api/operations.ts';
import { count, share } from '../format/numbers.ts';
import { Figure, Figures } from '../parts/figures.tsx';
import { Ticks } from '../parts/ticks.tsx';
import { words } from '../words/words.ts';
import classes from './counters.module.css';

/** Who got it, in a few figures. Views are what channels have instead of reads. */
export function Counters({ totals, kinds }: { totals: Analytics['totals']; kinds: ReadonlySet<GroupKind> }) {
  return (
    <Figures label={words.campaign.figures} dense>
      <Figure label={words.campaign.groupsReached} value={count(totals.sent)}>
        <Note>{words.campaign.ofGroups(count(totals.deliveries))}</Note>
      </Figure>
      <Figure label={words.campaign.delivered} value={share(totals.delivery_rate)} sign={<Ticks kind="delivered" />}>
        <Note>{words.campaign.people(count(totals.delivered), count(totals.recipients))}</Note>
      </Figure>
      <Figure label={words.campaign.read} value={share(totals.read_rate)} sign={<Ticks kind="read" />}>
        <Note>{words.campaign.people(count(totals.read), count(totals.recipients))}</Note>
      </Figure>
      {kinds.has('channel') && <Figure label={words.campaign.views} value={count(totals.views)} />}
      <Figure label={words.campaign.reactions} value={count(totals.reactions)} />
      <Figure label={words.campaign.replies} value={count(totals.replies)} />
    </Figures>
  );
}

function Note({ children }: { children: string }) {
  return <span className={classes.note}>{children}</span>;
}
