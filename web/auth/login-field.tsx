import { TextInput } from '@mantine/core';
import { t } from '../i18n/translate.ts';

/** The user name or e-mail address of somebody who is not signed in; once they have tried, it says when it is missing. */
export function LoginField({
  value,
  change,
  isSubmitted,
}: {
  value: string;
  change: (value: string) => void;
  isSubmitted: boolean;
}) {
  return (
    <TextInput
      label={t('signIn.name')}
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      required
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
      error={isSubmitted && value.trim() === '' && t('signIn.nameMissing')}
    />
  );
}
