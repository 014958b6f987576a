import { TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tagsQuery } from '../api/queries.ts';
import { t } from '../i18n/translate.ts';

/** As many as the service takes. */
const MOST_TAGS = 10;
const LONGEST_TAG = 40;

/** Words that the campaign is found and reported by. Offers those in use. */
export default function TagsField({ tags, onChange }: { tags: readonly string[]; onChange: (tags: string[]) => void }) {
  const { data: known = [] } = useQuery(tagsQuery);
  return (
    <TagsInput
      label={t('tags.title')}
      description={t('tags.hint')}
      data={known}
      value={[...tags]}
      onChange={onChange}
      splitChars={[',', ';', '\n']}
      maxTags={MOST_TAGS}
      maxLength={LONGEST_TAG}
      clearable
      clearButtonProps={{ 'aria-label': t('common.clear') }}
    />
  );
}
