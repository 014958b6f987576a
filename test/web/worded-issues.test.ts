/** Every problem and warning of the service has words in the language of the page, made from its code and figures. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parametersOf } from '../../scripts/write-message-types.ts';
import { ERROR_CODES } from '../../src/platform/errors/error-codes.ts';
import { ISSUES } from '../../src/platform/errors/issues.ts';
import { describeIssue } from '../../src/platform/errors/errors.ts';
import { LANGUAGE_TAGS } from '../../src/platform/i18n/languages.ts';
import { readCatalog } from '../../src/platform/i18n/load-messages.ts';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { fieldIssueText, issueText } from '../../web/format/issue-text.ts';
import { warningText } from '../../web/format/warning-text.ts';
import { problemText } from '../../web/format/problem.ts';

const root = join(import.meta.dirname, '../..');
const english = readCatalog('en');

/** Issues that no form of the dashboard can cause: it words them all alike. */
const OF_PROGRAMS = [
  'no_poll',
  'voters_secret',
  'text_and_html',
  'taken_by',
  'metadata_key',
  'field_also_changed',
  'unknown_group_field',
  'rule_all_or_any',
  'rule_condition',
  'list_or_rule',
  'language_repeated',
  'translations_of_ballot',
  'translations_too_long',
  'translations_left',
  'rows_or_file',
  'wrong_type',
  'wrong_value',
  'wrong_format',
  'uuid',
  'not_multiple',
  'invalid',
  'instant_or_now',
  'not_with_image',
  'either_image_or_removal',
  'id_or_key',
  'one_of_two',
  'base64url',
  'base64url_bytes',
  'hash',
  'not_base64',
  'url_of_file',
  'data_url_head',
  'data_url_type',
  'picture_data_url',
  'unknown_message',
  'unknown_field',
  'other_form',
  'unsupported_header',
  'nul_character',
  'lone_surrogate',
  'length_between',
  'bad_cursor',
  'curve_point',
  'assertion',
  'webhook_id',
  'no_address',
  'private_address',
  'whole_number',
  'chat_id',
  'sent_as_other',
];
/** Errors of API keys, tokens, malformed requests and unknown paths. */
const ERRORS_OF_PROGRAMS =
  /^(?:invalid_request|unknown_field|body_|assertion_|request_unreadable|token_|api_key_(?:invalid|not_found)|user_gone|not_signed_in|scope_missing|host_unknown|dashboard_only|metrics_closed|path_not_found|(?:session|factor|user|invitation|webhook_message)_not_found|not_on_sandbox|method_not_allowed|content_type|headers_too_long|idempotency_key_(?:reused|outcome)|passkey_not_requested|messenger_unknown|factor_|passkeys_)/;
/** The dashboard words these by their status. */
const KINDS_BY_STATUS = new Set<string>(['rate_limited', 'unavailable', 'no_room', 'too_large', 'too_slow', 'defect']);

/** The parameters that an issue comes with: those of its sentence, and others that go along. */
const paramsOf = (code: keyof typeof ISSUES) => [
  ...Array.from(ISSUES[code].matchAll(/\{(\w+)\}/g), ([, name = '']) => name),
  ...(code === 'text_too_long' ? ['length'] : code === 'too_many_groups' ? ['limit'] : []),
];

describe('every issue', () => {
  test('has words of its own, or is of programs only', () => {
    const worded = (code: string) => [`issues.${code}`, `groupIssues.${code}`].some((key) => key in english);
    const without = Object.keys(ISSUES).filter((code) => !worded(code));
    expect(without).toEqual(OF_PROGRAMS);
  });

  test.each(LANGUAGE_TAGS)('needs no figure in %s that the service does not send', (language) => {
    const catalog = readCatalog(language);
    const missing = (Object.keys(ISSUES) as Array<keyof typeof ISSUES>).filter((code) => {
      const needed = parametersOf(catalog[`issues.${code}`] ?? '').keys();
      return needed.some((name) => !paramsOf(code).includes(name));
    });
    expect(missing).toEqual([]);
  });

  test('is made by its code in the service, so that none lacks one', () => {
    const files = globSync('src/**/*.ts', { cwd: root, exclude: ['src/api/contract/**', 'src/platform/errors/**'] });
    const literal = files.flatMap((file) => {
      const found = readFileSync(join(root, file), 'utf8').match(/\bissue: ?(?:['"`]|[A-Z_]+\b).*/g) ?? [];
      return found.map((line) => `${file}: ${line}`);
    });
    expect(literal).toEqual([]);
  });

  test('is worded with its figures, and with the name of its field where that is not seen', () => {
    const tooMany = describeIssue('too_many_days', { limit: 366 });
    expect(tooMany.issue).toBe('must be at most 366 days from start_date, both included');
    expect(issueText(tooMany)).toBe('From the first to the last day there may be at most 366 days.');
    expect(fieldIssueText('name', describeIssue('too_long', { limit: 200 }))).toBe('Name: At most 200 characters.');
    expect(fieldIssueText('end_date', describeIssue('end_before_start'))).toBe('The last day is before the first day.');
    expect(issueText({ code: 'of_a_later_version' })).toBe('This is not valid. Check it and try again.');
  });
});

test('every warning of the service has words', () => {
  const files = [...globSync('src/sending/campaigns/accept/*.ts', { cwd: root }), 'src/content/text/warnings.ts'];
  const text = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const inChecks = Array.from(text.matchAll(/code: '(\w+)',\s+(?:message|params)/g), ([, code = '']) => code);
  const inTexts = Array.from(text.matchAll(/^ {2}(\w+_\w+):\s+['`]/gm), ([, code = '']) => code);
  const codes = [...new Set([...inChecks, ...inTexts])];
  expect(codes).toContain('over_daily_cap');
  expect(codes).toContain('link_without_text');
  expect(codes.filter((code) => !(`warnings.${code}` in english))).toEqual([]);
  expect(warningText({ code: 'warm_up_pace', message: 'x', params: { min: 20, max: 60 } })).toBe(
    'Your account is warming up: it pauses for 20 to 60 seconds between two posts.',
  );
  expect(warningText({ code: 'of_a_later_version', message: 'As the service words it.' })).toBe(
    'As the service words it.',
  );
});

test('every error that the dashboard can meet has words', () => {
  // An error with names in its details has the words of its issue, which has the same code.
  const isWorded = (code: string) =>
    `problems.codes.${code}` in english || (code in ISSUES && `issues.${code}` in english);
  const unworded = Object.entries(ERROR_CODES).filter(
    ([code, [kind]]) => !isWorded(code) && !KINDS_BY_STATUS.has(kind) && !ERRORS_OF_PROGRAMS.test(code),
  );
  expect(unworded.map(([code]) => code)).toEqual([]);
  const issue = describeIssue('field_in_use', { name: 'City', posts: 2, lists: 1, names: 'Fair, Sale, Choirs' });
  const details = [{ field: 'remove.0', ...issue }];
  expect(problemText(new CampanileError('In English', { status: 409, errorCode: 'field_in_use', details }))).toBe(
    '2 posts need City and fail without it. 1 list chooses its groups by City. In use by: Fair, Sale, Choirs',
  );
  const conflict = new CampanileError('In English', { status: 409, errorCode: 'campaign_wrong_state' });
  expect(problemText(conflict)).toMatch(/^The campaign is no longer in a state that allows this\./);
  expect(problemText(new CampanileError('In English', { status: 409, errorCode: 'of_a_later_version' }))).toBe(
    'The service does not allow this right now. Reload the page.',
  );
});
