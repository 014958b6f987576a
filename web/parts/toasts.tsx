import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import classes from './toasts.module.css';

/** Where toasts appear; what was told before it is there appears with it. */
export function Toasts() {
  return <Notifications position="bottom-center" transitionDuration={120} className={classes.toasts} />;
}
