import { Textarea } from '@mantine/core';
import { t } from '../i18n/translate.ts';

const REMARK_LIMIT = 2_000;

export function RemarkField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Textarea
      label={t('approvals.remark')}
      value={value}
      maxLength={REMARK_LIMIT}
      autosize
      minRows={2}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
