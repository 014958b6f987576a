import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Group, GroupReport } from '../api/operations.ts';
import { useMay } from '../api/workspace.ts';
import { count } from '../format/numbers.ts';
import { shortTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { Section, SectionNote } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import textClasses from '../parts/text.module.css';
import { t } from '../i18n/translate.ts';
import classes from './group-page.module.css';
import { GroupInviteLink } from './invite-link.tsx';

/** The rest is shown on demand. */
const SHOWN_RUNS = 6;

/** The next runs to this group. */
export function PlannedRuns({ runs }: { runs: GroupReport['planned'] }) {
  const zone = useZone();
  const [isComplete, whole] = useDisclosure(false);
  const shown = isComplete ? runs : runs.slice(0, SHOWN_RUNS);
  if (runs.length === 0)
    return (
      <SectionNote title={t('group.planned')} sample="runs">
        {t('group.nothingPlanned')}
      </SectionNote>
    );
  return (
    <Section title={t('group.planned')}>
      <ul className={classes.rows}>
        {shown.map((run) => (
          <li key={run.run_id}>
            <Link href={`/campaigns/${run.campaign_id}`} className={textClasses.clip} title={run.name}>
              {run.name}
            </Link>
            <span className={`${textClasses.dim} ${textClasses.nowrap}`}>
              {run.campaign_status === 'paused' ? <Status of="paused" /> : shortTime(run.due_at, zone)}
            </span>
          </li>
        ))}
      </ul>
      {runs.length > shown.length && (
        <Button size="compact-xs" variant="subtle" mt="xs" onClick={whole.open}>
          {t('calendar.more', { many: count(runs.length - shown.length) })}
        </Button>
      )}
    </Section>
  );
}

/** The invite link with its QR code. A link that is not known is asked for when a user who may wants to see it. */
export function GroupInvite({ group }: { group: Pick<Group, 'group_metadata_id' | 'invite_link'> }) {
  const [isShown, setShown] = useState(group.invite_link !== null);
  const mayAsk = useMay('manager') !== false;
  if (!isShown && !mayAsk) return null;
  return (
    <Section title={t('groups.invite')}>
      {isShown ? (
        <Stack align="center" gap="sm">
          <GroupInviteLink group={group} />
        </Stack>
      ) : (
        <Button variant="default" onClick={() => setShown(true)}>
          {t('groups.inviteButton')}
        </Button>
      )}
    </Section>
  );
}

/** The saved lists with this group. */
export function GroupLists({ lists }: { lists: GroupReport['group_lists'] }) {
  if (lists.length === 0) return <SectionNote title={t('groups.lists')}>{t('group.inNoList')}</SectionNote>;
  return (
    <Section title={t('groups.lists')}>
      <ul className={classes.rows}>
        {lists.map((list) => (
          <li key={list.group_list_id}>
            <Link href={`/groups?list=${list.group_list_id}`} className={textClasses.clip}>
              {list.name}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
