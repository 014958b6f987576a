import { TextInput } from '@mantine/core';
import { words } from '../words/words.ts';

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
