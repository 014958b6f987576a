import { Select } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { campaignQuery, groupListsQuery, tagsQuery } from '../api/queries.ts';
import { isListId, isText, useQueryParam } from '../parts/use-query-param.ts';
import { t } from '../i18n/translate.ts';

const CAMPAIGNS_SHOWN = 20;
const WAIT_MS = 200;
const isCampaignId = (text: string): text is string => /^[\da-f-]{0,36}$/.test(text);

/** What the report is about, in the URL: everything, the groups of a saved list, the campaigns of a tag, or one campaign. */
export function useAbout() {
  const [listId, setListId] = useQueryParam('list', '', isListId);
  const [campaignId, setCampaignId] = useQueryParam('campaign', '', isCampaignId);
  const [tag, setTag] = useQueryParam('tag', '', isText);
  return {
    listId,
    campaignId,
    tag,
    selection: {
      ...(listId !== '' && { group_list_id: Number(listId) }),
      ...(campaignId !== '' && { campaign_id: campaignId }),
      ...(tag !== '' && { tag }),
    },
    choose: (kind: string, value: string) => {
      setListId(kind === 'list' ? value : '');
      setCampaignId(kind === 'campaign' ? value : '');
      setTag(kind === 'tag' ? value : '');
    },
  };
}

/** Picks a saved list, a tag or a campaign; typing searches the campaigns. */
export function AboutPicker({ about }: { about: ReturnType<typeof useAbout> }) {
  const { listId, campaignId, tag, choose } = about;
  const [typed, type] = useState('');
  const [search] = useDebouncedValue(typed, WAIT_MS);
  const lists = useQuery(groupListsQuery).data?.group_lists ?? [];
  const known = useQuery(tagsQuery).data ?? [];
  const tags = tag === '' || known.includes(tag) ? known : [tag, ...known];
  const found = useQuery({
    queryKey: ['report-campaigns', search],
    queryFn: ({ signal }) => call('venom/list-campaigns', { search, limit: CAMPAIGNS_SHOWN }, { signal }),
    placeholderData: keepPreviousData,
  });
  const chosen = useQuery({ ...campaignQuery(campaignId), enabled: campaignId !== '' }).data;
  const campaigns = found.data?.campaigns ?? [];
  const offered =
    chosen && !campaigns.some((one) => one.campaign_id === chosen.campaign_id) ? [chosen, ...campaigns] : campaigns;
  const data = [
    {
      group: t('report.lists'),
      items: lists.map((list) => ({ value: `list ${list.group_list_id}`, label: list.name })),
    },
    { group: t('tags.title'), items: tags.map((one) => ({ value: `tag ${one}`, label: one })) },
    {
      group: t('pages.campaigns'),
      items: offered.map((one) => ({ value: `campaign ${one.campaign_id}`, label: one.name })),
    },
  ];
  const values = [campaignId && `campaign ${campaignId}`, listId && `list ${listId}`, tag && `tag ${tag}`];
  const value = values.find((one) => one !== '') ?? null;
  return (
    <Select
      aria-label={t('report.about')}
      placeholder={t('report.everything')}
      data={data.filter(({ items }) => items.length > 0)}
      value={value}
      onChange={(option) => {
        const [kind = '', ...words] = (option ?? '').split(' ');
        choose(kind, words.join(' '));
      }}
      searchable
      onSearchChange={type}
      nothingFoundMessage={t('report.nothingFound')}
      clearable
      clearButtonProps={{ 'aria-label': t('report.everything') }}
      w={280}
      maw="100%"
    />
  );
}
