import { TextInput } from '@mantine/core';
import { words } from '../words/words.ts';

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
      label={words.signIn.name}
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      required
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
      error={isSubmitted && value.trim() === '' && words.signIn.nameMissing}
    />
  );
}
