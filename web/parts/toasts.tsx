import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import classes from './toasts.module.css';

/** The container of toasts; earlier ones appear once it is mounted. */
export function Toasts() {
  return <Notifications position="bottom-center" transitionDuration={120} className={classes.toasts} />;
}
