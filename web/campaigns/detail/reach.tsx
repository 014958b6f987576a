import { useQuery } from '@tanstack/react-query';
import type { Analytics, Campaign, GroupRow } from '../../api/operations.ts';
import { campaignQuery } from '../../api/queries.ts';
import { failureNote, type CodedFailure } from '../../format/failure-text.ts';
import { exactTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { Section, SectionNote } from '../../parts/page.tsx';
import { t } from '../../i18n/translate.ts';
import { EarlierCampaign } from './earlier-campaign.tsx';
import { OutcomeReason, OutcomeList, Outcome } from './outcome-list.tsx';

/** The results of pins, mentions and quotes: how many posts have them, what is still to be done, and why some were left out. */
export function ReachResults({ analytics, replyTo }: { analytics: Analytics; replyTo: Campaign['reply_to'] }) {
  const { totals, groups } = analytics;
  const { pinned, unpinned = 0, pins_waiting: waiting = 0, mentions_left_out: leftOut = 0 } = totals;
  const unreached = groups.filter((group) => group.members_without_devices !== undefined);
  if (pinned === undefined && leftOut === 0 && replyTo === null && unreached.length === 0) return null;
  const refused = reasonsOf(groups, (group) =>
    (group.pins_failed ?? 0) > 0
      ? { error: group.pin_error, error_code: group.pin_error_code, error_params: group.pin_error_params }
      : undefined,
  );
  const unmentioned = reasonsOf(
    groups,
    ({ mention_left_out: error, mention_left_out_code: code, mention_left_out_params: params }) =>
      error == null ? undefined : { error, error_code: code, error_params: params },
  );
  const sentences = [
    replyTo && <Reply key="reply" campaignId={replyTo.campaign_id} quotes={totals.quotes} />,
    pinned !== undefined && (
      <span key="pinned">
        {t('pin.pinned', { posts: pinned })} <PinnedUntil groups={groups} />
      </span>
    ),
    unpinned > 0 && t('pin.unpinned', { posts: unpinned }),
    waiting > 0 && t('pin.waiting', { posts: waiting }),
  ].filter(Boolean);
  if (sentences.length === 1 && refused.length + unmentioned.length + unreached.length === 0)
    return <SectionNote title={t('pin.results')}>{sentences}</SectionNote>;
  return (
    <Section title={t('pin.results')}>
      <OutcomeList>
        {sentences.map((sentence, index) => (
          // Sentences have no identity but their place.
          // oxlint-disable-next-line react/no-array-index-key
          <Outcome key={index}>{sentence}</Outcome>
        ))}
        {refused.map(([reason, hit]) => (
          <OutcomeReason
            key={reason}
            what={t('pin.failed', { posts: hit.reduce((sum, group) => sum + (group.pins_failed ?? 0), 0) })}
            hit={hit}
            more={reason}
          />
        ))}
        {unmentioned.map(([reason, hit]) => (
          <OutcomeReason key={reason} what={t('pin.notMentioned', { groups: hit.length })} hit={hit} more={reason} />
        ))}
        {unreached.length > 0 && (
          <OutcomeReason
            what={t('pin.withoutDevices', {
              members: unreached.reduce((sum, group) => sum + (group.members_without_devices ?? 0), 0),
            })}
            hit={unreached}
            more={t('pin.noDevices')}
          />
        )}
      </OutcomeList>
    </Section>
  );
}

/** When the last of the pinned posts stops being pinned. */
function PinnedUntil({ groups }: { groups: readonly GroupRow[] }) {
  const zone = useZone();
  const last = groups
    .flatMap((group) => group.pinned_until ?? [])
    .toSorted((one, other) => one.localeCompare(other))
    .at(-1);
  return last === undefined ? null : t('pin.until', { time: exactTime(last, zone) });
}

/** The earlier campaign that the post answers, and in how many posts it is quoted once there are some. */
function Reply({ campaignId, quotes }: { campaignId: string; quotes: number | undefined }) {
  const earlier = useQuery(campaignQuery(campaignId));
  return (
    <span>
      {earlier.data ? (
        <>
          {t('pin.replies')} <EarlierCampaign campaign={earlier.data} />.
        </>
      ) : (
        t('pin.repliesToDeleted')
      )}
      {quotes !== undefined && ` ${t('pin.quoted', { posts: quotes })}`}
    </span>
  );
}

function reasonsOf(
  groups: readonly GroupRow[],
  failureOf: (group: GroupRow) => CodedFailure | undefined,
): Array<[string, GroupRow[]]> {
  const noteOf = (group: GroupRow) => {
    const failure = failureOf(group);
    return failure && failureNote(failure);
  };
  const hit = groups.filter((group) => failureOf(group) !== undefined);
  return [...Map.groupBy(hit, (group) => noteOf(group) ?? '')];
}
