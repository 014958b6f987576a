import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Approval } from '../api/operations.ts';
import { shortTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { Section } from '../parts/page.tsx';
import { personName } from '../format/person-name.ts';
import { t } from '../i18n/translate.ts';
import { sessionQuery } from '../api/session.ts';
import { ApprovalStatus } from './approval-status.tsx';
import { approvalsQuery } from './approval-queries.ts';
import classes from './approvals.module.css';

/** The posts that wait for an approval, those whose turn it is of the user first; nothing without any. */
export function WaitingList() {
  const { data } = useQuery(approvalsQuery);
  const { data: session } = useQuery(sessionQuery);
  if (!data || !session || data.approvals.length === 0) return null;
  const isOwnTurn = ({ waits_for: people }: Approval) =>
    people.some(({ user_id }) => user_id === session.user_info.user_id);
  const own = data.approvals.filter(isOwnTurn);
  const others = data.approvals.filter((one) => !isOwnTurn(one));
  return (
    <Box mb="md">
      <Section title={own.length > 0 ? t('approvals.yourTurn') : t('approvals.title')}>
        <ul className={classes.list}>
          {[...own, ...others].map((approval) => (
            <li key={approval.approval_id}>
              <Row approval={approval} />
            </li>
          ))}
        </ul>
      </Section>
    </Box>
  );
}

function Row({ approval }: { approval: Approval }) {
  const zone = useZone();
  const { approval_id: id, name, group_count: groups, first_due_at: dueAt, asked_by: asker } = approval;
  return (
    <Link href={`/approvals/${id}`} className={classes.row}>
      <span className={classes.name} dir="auto">
        {name}
      </span>
      <span className={classes.facts}>
        {t('approvals.askedBy', { name: personName(asker) })}
        {' · '}
        {t('campaigns.groups', { groups })}
        {dueAt !== null && ` · ${shortTime(dueAt, zone)}`}
      </span>
      <ApprovalStatus of={approval} />
    </Link>
  );
}
