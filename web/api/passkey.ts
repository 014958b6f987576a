import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type { QueryClient } from '@tanstack/react-query';
import type { Session } from '../../src/api/contract/session.ts';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { t } from '../i18n/translate.ts';
import { endSessionOnUnauthorized, request } from './call.ts';
import { storeSession } from './session.ts';
import { withReauthentication } from './reauthentication.ts';

/** Returns whether this browser supports passkeys for this address. None does for a bare IP address. */
export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in window && /[a-z]/i.test(location.hostname) && !location.hostname.includes(':');
}

/** Signs in with a passkey. Rejects with a CampanileError. */
export async function signInWithPasskey(client: QueryClient): Promise<void> {
  const passkey = await getPasskeyAssertion();
  storeSession(client, await request<Session>('/session', 'POST', { body: { passkey } }));
}

/** Asks for one of the user's passkeys. Resolves to the assertion for the service. */
export async function getPasskeyAssertion(): Promise<unknown> {
  const optionsJSON = await request<PublicKeyCredentialRequestOptionsJSON>('/session/passkey/ask', 'POST');
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return promptAuthenticator(() => startAuthentication({ optionsJSON }));
}

/** Creates a passkey and registers it. Resolves to recovery codes if it is the first factor. */
export async function registerPasskey(name: string): Promise<readonly string[]> {
  try {
    const optionsJSON = await withReauthentication(() =>
      request<PublicKeyCredentialCreationOptionsJSON>('/session/passkey/begin', 'POST'),
    );
    const { startRegistration } = await import('@simplewebauthn/browser');
    const passkey = await promptAuthenticator(() => startRegistration({ optionsJSON }));
    const body = { name, passkey };
    return (await request<{ recovery_codes: string[] }>('/session/passkey', 'POST', { body })).recovery_codes;
  } catch (error) {
    endSessionOnUnauthorized(error);
    throw error;
  }
}

/** Runs a prompt of the authenticator. The user may dismiss it, and browsers say little about why it failed. */
async function promptAuthenticator<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw new CampanileError(t('factors.passkeyFailed'), { status: 400, cause: error });
  }
}
