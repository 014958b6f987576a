import { MessageText } from '../whatsapp/message-text.tsx';
import { t } from '../i18n/translate.ts';
import boxClasses from '../parts/box.module.css';
import classes from './text-change.module.css';

/** The text of a post before and after it is edited, side by side. */
export function TextChange({ before, after }: { before: string; after: string }) {
  return (
    <dl className={classes.change}>
      <div>
        <dt>{t('change.before')}</dt>
        <dd className={boxClasses.inset}>
          <MessageText text={before} />
        </dd>
      </div>
      <div>
        <dt>{t('change.after')}</dt>
        <dd className={boxClasses.inset}>
          <MessageText text={after} />
        </dd>
      </div>
    </dl>
  );
}
