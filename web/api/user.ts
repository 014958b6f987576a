import type { SignedIn } from './session.ts';
import type { Body } from './operations.ts';

/** Users who leave the messaging account's number empty use one number for both. */
export function signUpBody(form: Body<'user/create_user'>): Body<'user/create_user'> {
  return { ...form, whatsapp_number: form.whatsapp_number.trim() === '' ? form.phone_number : form.whatsapp_number };
}

/** Returns the number of the messaging account; the API misspells its field. */
export function whatsappNumberOf({ user_info: user }: Pick<SignedIn, 'user_info'>): string {
  return user.wharsapp_number;
}
