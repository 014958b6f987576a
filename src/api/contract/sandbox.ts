/** The sandbox (contract §4). */
import { z } from 'zod';
import { ballotFieldsData } from './ballot-fields.ts';
import { defineOperations } from './define-operations.ts';
import { linkPreviewData } from './link-preview.ts';
import { GROUP_SESSION_ERRORS, linkStatus } from './accounts.ts';
import {
  accountId,
  count,
  cursor,
  instant,
  nextCursor,
  optional,
  pageLimit,
  storedFile,
  withDefault,
  objects,
} from './fields.ts';

const changedAt = instant.nullable().optional().describe('With `with_changes`. `null`: never.');

const arrivedFile = storedFile
  .extend({ file_name: z.string(), caption: z.string() })
  .meta({ id: 'ArrivedFile', description: 'A file as members see it.' });

export const sandbox = defineOperations('Sandbox', {
  listMessages: {
    path: '/api/v1/sandbox/list-messages',
    access: 'read',
    summary: 'List the messages of a sandbox group',
    description: 'Returns the posts of your account as members of the group see them, oldest first.',
    body: z.object({
      group_metadata_id: z.int(),
      limit: pageLimit(1_000, 100),
      with_changes: withDefault(z.boolean(), false).describe(
        'Adds messages that were deleted for everyone, without text and file, and when each message was deleted or last edited.',
      ),
      cursor,
    }),
    data: z.object({
      messages: objects({
        message_id: z.string(),
        text: z.string(),
        media: storedFile.nullable(),
        files: z
          .array(arrivedFile)
          .optional()
          .describe(
            'All files, if there are several, or if the one is a document or has a `caption` of its own. Several pictures and films are an album.',
          ),
        poll: ballotFieldsData.poll.optional().describe('Present if the post is a poll or an event.'),
        event: ballotFieldsData.event.optional(),
        link_preview: linkPreviewData,
        sent_at: instant,
        mentions_all: z.boolean().optional().describe('With `with_changes`: it mentions everybody.'),
        quoted_message_id: z
          .string()
          .nullable()
          .optional()
          .describe('With `with_changes`: the message that it quotes.'),
        pinned_until: changedAt,
        recalled_at: changedAt,
        corrected_at: changedAt,
      }),
      next_cursor: nextCursor,
    }),
    errors: ['group_not_found', 'not_on_sandbox'],
    longAnswer: 'pieces',
  },
  simulateIncident: {
    path: '/api/v1/sandbox/simulate-incident',
    access: 'send',
    summary: 'Ban a sandbox account, demote or remove it in groups, or restore it',
    description:
      'Lets you try what happens when an account cannot send: posts wait, notices are sent, and other accounts take over.',
    body: z
      .object({
        account_id: accountId,
        action: z
          .enum(['demote', 'remove', 'ban', 'restore'])
          .describe(
            '`demote`: the account is no admin any more, and only admins post. `remove`: it is no member any more. `ban`: it is logged out until it is restored. `restore` ends all of that, connects the account and syncs its groups.',
          ),
        group_metadata_id: optional(z.int()).describe('Omitted: all groups, and the whole account. Not with `ban`.'),
      })
      .refine(({ action, group_metadata_id: group }) => action !== 'ban' || group === undefined, {
        path: ['group_metadata_id'],
        error: 'must be omitted with the action ban',
      })
      .meta({ id: 'SimulateIncident' }),
    data: z.object({ account_id: count, status: linkStatus }),
    idempotency: 'always',
    errors: ['account_not_found', 'group_not_found', 'not_on_sandbox', ...GROUP_SESSION_ERRORS],
  },
});
