import { TextInput } from '@mantine/core';
import { t } from '../i18n/translate.ts';

/** The user name or e-mail address. Says that it is missing only after a submit. */
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
