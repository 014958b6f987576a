import { MessageText } from '../whatsapp/message-text.tsx';
import { t } from '../i18n/translate.ts';
import classes from './text-change.module.css';

/** The text of a post before and after it is edited, side by side. */
export function TextChange({ before, after }: { before: string; after: string }) {
  return (
    <dl className={classes.change}>
      <div>
        <dt>{t('change.before')}</dt>
        <dd>
          <MessageText text={before} />
        </dd>
      </div>
      <div>
        <dt>{t('change.after')}</dt>
        <dd>
          <MessageText text={after} />
        </dd>
      </div>
    </dl>
  );
}
