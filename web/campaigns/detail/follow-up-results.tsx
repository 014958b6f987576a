import { useQuery } from '@tanstack/react-query';
import type { Analytics, Campaign, GroupRow } from '../../api/operations.ts';
import { campaignQuery } from '../../api/queries.ts';
import { Section, SectionNote } from '../../parts/page.tsx';
import { t } from '../../i18n/translate.ts';
import { EarlierCampaign } from './earlier-campaign.tsx';
import { Outcome, OutcomeList, OutcomeReason } from './outcome-list.tsx';

/** Which campaign a follow-up is about, and which groups it left out. */
export function FollowUpResults({
  followUp: { campaign_id: id, under_percent: percent },
  analytics: { groups },
}: {
  followUp: NonNullable<Campaign['follow_up']>;
  analytics: Analytics;
}) {
  const followed = useQuery(campaignQuery(id));
  const skipped = groups.filter((group) => group.skipped !== undefined);
  const [known, unknown] = [skipped.filter(isKnown), skipped.filter((group) => !isKnown(group))];
  const about = (
    <>
      {t('followUp.about', { percent })}{' '}
      {followed.data ? <EarlierCampaign campaign={followed.data} /> : t('followUp.gone')}
    </>
  );
  if (skipped.length === 0) return <SectionNote title={t('followUp.name')}>{about}</SectionNote>;
  return (
    <Section title={t('followUp.name')}>
      <OutcomeList>
        <Outcome>{about}</Outcome>
        {known.length > 0 && (
          <OutcomeReason
            what={t('followUp.leftOut', { groups: known.length })}
            hit={known}
            more={t('followUp.haveRead')}
          />
        )}
        {unknown.length > 0 && (
          <OutcomeReason
            what={t('followUp.leftOut', { groups: unknown.length })}
            hit={unknown}
            more={t('followUp.notKnown')}
          />
        )}
      </OutcomeList>
    </Section>
  );
}

const isKnown = ({ error_code: code }: GroupRow) => code !== 'reads_unknown';
