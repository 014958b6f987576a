import { notifications } from '@mantine/notifications';
import { problemText } from '../format/problem.ts';

/** Says that something was done. */
export function showToast(message: string): void {
  notifications.show({ message, autoClose: 5_000 });
}

/** Says why something was not done, where there is no better place than a corner of the page. */
export function notifyError(error: unknown): void {
  notifications.show({ message: problemText(error), color: 'red', role: 'alert', autoClose: 10_000 });
}
