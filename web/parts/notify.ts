import { notifications } from '@mantine/notifications';
import { problemText } from '../format/problem.ts';

/** Shows a success message. */
export function showToast(message: string): void {
  notifications.show({ message, autoClose: 5_000 });
}

/** Shows an error message in a corner, where there is no better place. */
export function notifyError(error: unknown): void {
  notifications.show({ message: problemText(error), color: 'red', role: 'alert', autoClose: 10_000 });
}
