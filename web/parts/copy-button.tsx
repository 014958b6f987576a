import { Button, CopyButton as Copy } from '@mantine/core';
import { t } from '../i18n/translate.ts';
import { Icon } from './icons.tsx';

/** Puts `value` on the clipboard and says so. */
export function CopyButton({ value, label = t('common.copy') }: { value: string; label?: string }) {
  return (
    <Copy value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Button
          size="xs"
          variant="default"
          onClick={copy}
          leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
          aria-live="polite"
        >
          {copied ? t('common.copied') : label}
        </Button>
      )}
    </Copy>
  );
}
