import { Group, Progress, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Analytics, Data } from '../../api/operations.ts';
import { pollResultsQuery } from '../../api/queries.ts';
import { count, share } from '../../format/numbers.ts';
import { exactTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { Count } from '../../parts/count.tsx';
import { DownloadCsvButton } from '../../parts/download-csv-button.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { RowsSkeleton, Section } from '../../parts/page.tsx';
import textClasses from '../../parts/text.module.css';
import { useIsPhone } from '../../parts/use-is-phone.ts';
import { ScrollBox, useVirtualRows } from '../../parts/virtual-rows.tsx';
import { t } from '../../i18n/translate.ts';
import { countMembers } from './delivery-funnel.tsx';
import classes from './poll-results.module.css';

type Poll = Data<'analytics/get-poll-results'>['polls'][number];

const ROW_HEIGHT = 44;
/** With a second line below the name. */
const PHONE_ROW_HEIGHT = 58;
const SHOWN_ROWS = 8;

/** The results of the campaign's poll or event, live. */
export default function PollResults({ campaign, groups }: Pick<Analytics, 'campaign' | 'groups'>) {
  const results = useQuery(pollResultsQuery(campaign.campaign_id));
  if (results.isPending) return <RowsSkeleton rows={2} height={60} />;
  if (!results.data) return <ErrorAlert error={results.error} retry={() => void results.refetch()} />;
  return results.data.polls.map((poll) => (
    <Section
      key={poll.runs[0]?.run_id ?? poll.question}
      title={t('poll.results')}
      aside={<Exports campaign={campaign} namesVoters={poll.names_voters} />}
    >
      {/* Of several, who was reached by which is not told. */}
      <Results poll={poll} members={results.data.polls.length === 1 ? countMembers(groups) : undefined} />
    </Section>
  ));
}

function Results({ poll, members }: { poll: Poll; members: number | undefined }) {
  const zone = useZone();
  const labels = optionLabels(poll);
  const closesAt = poll.runs.at(-1)?.closes_at;
  const isEvent = poll.kind === 'event';
  const parts = partsOf(poll);
  const most = Math.max(...poll.votes);
  const isWon = !isEvent && most > 0 && poll.votes.filter((votes) => votes === most).length === 1;
  return (
    <Stack gap="sm">
      <Text fw={600}>{poll.question}</Text>
      <Stack gap={8} component="ul" m={0} p={0}>
        {labels.map((label, index) => (
          <Option
            key={label}
            label={label}
            votes={votesOf(poll, poll.votes[index] ?? 0)}
            part={parts[index] ?? 0}
            leads={isWon && poll.votes[index] === most}
          />
        ))}
      </Stack>
      <Text size="sm" c="dimmed">
        {t(isEvent ? 'poll.answered' : 'poll.voters', { voters: poll.voters })}
        {members !== undefined &&
          members > 0 &&
          poll.voters <= members &&
          ` · ${t('poll.turnout', { rate: share(poll.voters / members) })}`}
        {poll.unreadable > 0 &&
          ` · ${t(isEvent ? 'poll.unreadableAnswers' : 'poll.unreadable', { votes: poll.unreadable })}`}
        {closesAt && ` · ${t('poll.closes', { at: exactTime(closesAt, zone) })}`}
      </Text>
      {poll.groups.length > 1 && <PerGroup poll={poll} labels={labels} />}
    </Stack>
  );
}

/** Of an event the answers in words. */
function optionLabels({ kind, options }: Poll): string[] {
  return kind === 'poll' ? options : [t('poll.answers.going'), t('poll.answers.maybe'), t('poll.answers.not_going')];
}

/** Events have answers, polls have votes. */
function votesOf({ kind }: Poll, votes: number): string {
  return t(kind === 'event' ? 'poll.answersOf' : 'poll.votes', { votes });
}

/**
 * Returns the share of the voters that chose each option. Where everybody has chosen one, the shares add up to a whole also as
 * percentages: those with the largest remainders are rounded up.
 */
function partsOf({ votes, voters }: Poll): number[] {
  const exact = votes.map((chosen) => (voters === 0 ? 0 : chosen / voters));
  if (votes.reduce((sum, chosen) => sum + chosen, 0) !== voters || voters === 0) return exact;
  const whole = exact.map((part) => Math.floor(part * 100));
  const left = 100 - whole.reduce((sum, percent) => sum + percent, 0);
  const byRemainder = exact
    .map((part, index) => ({ index, remainder: part * 100 - (whole[index] ?? 0) }))
    .toSorted((one, other) => other.remainder - one.remainder);
  for (const { index } of byRemainder.slice(0, left)) whole[index] = (whole[index] ?? 0) + 1;
  return whole.map((percent) => percent / 100);
}

function Option({ label, votes, part, leads }: { label: string; votes: string; part: number; leads: boolean }) {
  return (
    <li style={{ listStyle: 'none' }}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" {...(leads && { fw: 600 })}>
          {label}
          {leads && <VisuallyHidden> ({t('poll.leads')})</VisuallyHidden>}
        </Text>
        <Text size="sm" c="dimmed" className={textClasses.nowrap}>
          {votes} · {share(part)}
        </Text>
      </Group>
      <Progress value={part * 100} aria-label={label} {...(!leads && { color: 'bronze.3' })} />
    </li>
  );
}

function PerGroup({ poll, labels }: { poll: Poll; labels: string[] }) {
  const rowHeight = useIsPhone() ? PHONE_ROW_HEIGHT : ROW_HEIGHT;
  const { box, first, last, before, after } = useVirtualRows(poll.groups.length, rowHeight);
  return (
    <ScrollBox box={box} maxHeight={rowHeight * SHOWN_ROWS} label={t('poll.perGroup')}>
      <Table aria-rowcount={poll.groups.length + 1}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th className={classes.name}>{t('campaign.columns.group_name')}</Table.Th>
            {labels.map((label) => (
              <Table.Th key={label} className={classes.votes}>
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {before > 0 && <Gap height={before} columns={labels.length + 1} />}
          {poll.groups.slice(first, last).map((group) => (
            <Table.Tr key={group.group_metadata_id} style={{ height: rowHeight }}>
              <Table.Td className={classes.name}>
                <span className={textClasses.clip}>{group.group_name}</span>
                <span className={classes.below}>
                  {labels.map((label, index) => (
                    <span key={label}>
                      <span className={textClasses.clip}>{label}</span>
                      <b>{count(group.votes[index] ?? 0)}</b>
                    </span>
                  ))}
                </span>
              </Table.Td>
              {labels.map((label, index) => (
                <Table.Td key={label} className={classes.votes}>
                  <Count of={group.votes[index] ?? 0} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
          {after > 0 && <Gap height={after} columns={labels.length + 1} />}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}

function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden="true" style={{ height }}>
      <td colSpan={columns} />
    </tr>
  );
}

/** Downloads the results, and who voted if the poll names its voters. */
function Exports({ campaign, namesVoters }: Pick<Analytics, 'campaign'> & { namesVoters: boolean }) {
  return (
    <Group gap="xs">
      <ExportButton campaign={campaign} label={t('report.export')} voters={false} />
      {namesVoters && <ExportButton campaign={campaign} label={t('poll.exportVoters')} voters />}
    </Group>
  );
}

function ExportButton({ campaign, label, voters }: Pick<Analytics, 'campaign'> & { label: string; voters: boolean }) {
  const { campaign_id, name } = campaign;
  return (
    <DownloadCsvButton
      name={name}
      label={label}
      load={(format) => call('analytics/export-poll', { campaign_id, format, voters })}
    />
  );
}
