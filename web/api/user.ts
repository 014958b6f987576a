import type { SignedIn } from './session.ts';
import type { Body } from './operations.ts';

/** Who left the number of the messaging account empty uses one number for both. */
export function signUpBody(form: Body<'user/create_user'>): Body<'user/create_user'> {
  return { ...form, whatsapp_number: form.whatsapp_number.trim() === '' ? form.phone_number : form.whatsapp_number };
}

/** The number of the messaging account; the wire spells it in its own way. */
export function whatsappNumberOf({ user_info: user }: Pick<SignedIn, 'user_info'>): string {
  return user.wharsapp_number;
}
