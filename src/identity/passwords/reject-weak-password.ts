import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { invalid, fieldError } from '../../platform/errors/errors.ts';

/** The password's owner: attackers try their names first. */
export type AboutUser = Readonly<Record<'userName' | 'email' | 'firstName' | 'lastName' | 'phoneNumber', string>>;

const PRODUCT_TERMS = ['campanile', 'whatsapp', 'campaign'];
/** Longer passwords are estimated by their beginning: the rest makes them no easier to guess. */
const MAX_CHECKED_LENGTH = 64;
/** zxcvbn score, 0 to 4. A lower one is guessed within a million attempts. */
const LOWEST_SCORE = 2;

let estimator: Promise<ZxcvbnFactory> | undefined;

/**
 * Refuses a password that is found within a million guesses: the thousands that most people use, what a keyboard suggests, and words
 * about the user or the product, also with the usual digits and signs. Throws `invalid` on `field`.
 */
export async function rejectWeakPassword(field: string, password: string, about: AboutUser): Promise<void> {
  estimator ??= loadEstimator();
  const { score } = (await estimator).check(password, [...PRODUCT_TERMS, ...personalTermsOf(about)]);
  if (score < LOWEST_SCORE) throw invalid([fieldError(field, 'weak_password')]);
}

/** Loaded where it is needed: its lists take memory. */
async function loadEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Estimator }, { dictionary, adjacencyGraphs: graphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new Estimator({ dictionary, graphs, maxLength: MAX_CHECKED_LENGTH });
}

function personalTermsOf({ userName, email, firstName, lastName, phoneNumber }: AboutUser): string[] {
  const texts = [userName, email, firstName, lastName, phoneNumber];
  const parts = texts.flatMap((text) => text.split(/[^\p{L}\p{M}\p{N}]+/u));
  return [...texts, ...parts, phoneNumber.replaceAll(/\D/g, '')].filter((word) => word.length > 2);
}
