import { Button, Code, Group as Row, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'wouter';
import type { GroupReport } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { shortTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Section } from '../parts/page.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { Status } from '../parts/status.tsx';
import textClasses from '../parts/text.module.css';
import { words } from '../words/words.ts';
import classes from './group-page.module.css';

/** The rest is shown on demand. */
const SHOWN_RUNS = 6;

/** The next runs to this group. */
export function PlannedRuns({ runs }: { runs: GroupReport['planned'] }) {
  const zone = useZone();
  const [isComplete, whole] = useDisclosure(false);
  const shown = isComplete ? runs : runs.slice(0, SHOWN_RUNS);
  return (
    <Section title={words.group.planned}>
      {runs.length === 0 && <p className={textClasses.dim}>{words.group.nothingPlanned}</p>}
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
          {words.calendar.more(count(runs.length - shown.length))}
        </Button>
      )}
    </Section>
  );
}

/** The invite link with its QR code. */
export function InviteLink({ link }: { link: string | null }) {
  return (
    <Section title={words.groups.invite}>
      {link === null ? (
        <p className={textClasses.dim}>{words.group.noLink}</p>
      ) : (
        <Stack align="center" gap="sm">
          <QrCode text={link} label={words.groups.qrLabel} />
          <Row gap="xs" justify="center">
            <Code className={textClasses.breakable}>{link}</Code>
            <CopyButton value={link} label={words.groups.copyLink} />
          </Row>
        </Stack>
      )}
    </Section>
  );
}

/** The saved lists with this group. */
export function GroupLists({ lists }: { lists: GroupReport['group_lists'] }) {
  return (
    <Section title={words.groups.lists}>
      {lists.length === 0 && <p className={textClasses.dim}>{words.group.inNoList}</p>}
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
