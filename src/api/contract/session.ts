/** The dashboard's session. Not a part of the API: it may change with the dashboard. */
import { z } from 'zod';
import { confirmIdentityBody } from './factors.ts';
import { count, instant, label, optional, text } from './fields.ts';
import { authorizeUserBody, profile } from './users.ts';

/** The browser's response about a passkey (WebAuthn, as JSON). */
export const passkeyBody = z.looseObject({ id: text(1, 2_000), response: z.looseObject({}) });

/** A name and a password, with a code where one is asked for, or a passkey. */
export const signInBody = z.union([z.object({ passkey: passkeyBody }), authorizeUserBody]);
export const confirmBody = confirmIdentityBody.extend({ passkey: optional(passkeyBody) });
export const addPasskeyBody = z.object({ name: label(100), passkey: passkeyBody });

/** The signed-in user, their time zone, the expiry of the session, the workspace to open, and the service's version; null when nobody is signed in. */
export const sessionData = profile
  .extend({
    expires_at: instant,
    workspace_id: count.describe('The workspace that the user opened last.'),
    version: z.string().describe('With the commit, where it is known: 0.1.0 (1a2b3c4d5e6f).'),
  })
  .nullable();
export type Session = z.output<typeof sessionData>;
