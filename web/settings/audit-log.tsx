import { Anchor, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/call.ts';
import boxClasses from '../parts/box.module.css';
import { Failed } from '../parts/failed.tsx';
import { Moment } from '../parts/moment.tsx';
import { More } from '../parts/more.tsx';
import { RowsSkeleton, Section } from '../parts/page.tsx';
import textClasses from '../parts/text.module.css';
import { words } from '../words/words.ts';

const PAGE = 20;

/** What was done in the user's name, newest first. */
export function AuditLog() {
  const log = useInfiniteQuery({
    queryKey: ['audit-log'],
    queryFn: ({ pageParam, signal }) => call('user/list_audit_log', { limit: PAGE, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Section title={words.settings.auditLog}>
      <Text size="sm" c="dimmed" mb="xs">
        {words.settings.auditNote}
      </Text>
      {log.isPending && <RowsSkeleton rows={4} />}
      {log.isError && <Failed error={log.error} retry={() => void log.refetch()} />}
      {entries.length > 0 && (
        <div className={boxClasses.table}>
          <Table verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{words.settings.when}</Table.Th>
                <Table.Th>{words.settings.what}</Table.Th>
                <Table.Th>{words.settings.towards}</Table.Th>
                <Table.Th>{words.settings.from}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {entries.map((entry, index) => (
                <Table.Tr key={index}>
                  <Table.Td className={textClasses.nowrap}>
                    <Moment at={entry.at} />
                  </Table.Td>
                  <Table.Td miw={140}>{actionName(entry.action)}</Table.Td>
                  <Table.Td className={textClasses.clip} maw={300}>
                    <Subject entry={entry} />
                  </Table.Td>
                  <Table.Td>{entry.address}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      <More of={log} size="xs" mt="sm" />
    </Section>
  );
}

/** What no words are kept for is shown as the log has it, made readable. */
function actionName(action: string): string {
  return Reflect.get(words.audit, action) ?? action.replaceAll(/[._]/g, ' ');
}

/** What it was done to; a campaign can be opened, unless it is deleted. */
function Subject({
  entry: { action, subject, campaign_name: name },
}: {
  entry: { action: string; subject: string; campaign_name?: string | undefined };
}) {
  if (!action.startsWith('campaign.')) return subject;
  if (name === undefined) return words.settings.goneCampaign;
  return (
    <Anchor component={Link} href={`/campaigns/${subject}`} size="sm" underline="always" title={name}>
      {name}
    </Anchor>
  );
}
